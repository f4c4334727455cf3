#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/core/contract.h"
#include "harness/core/image.h"

namespace harness::judge {

struct DrawOptions {
  /// nominal; or a hostile form of the floating inputs that are drawn normal or uniform (forms.h). Integers are never
  /// changed.
  std::string form = "nominal";
  int threads = 0;  // 0: as many as the machine has
  /// The seeds of the elements that a device drew for a launch (ImageBuffer::draw); everything else keeps to its own.
  std::optional<FreshSeeds> fresh;
  /// The seed of what fills `__constant__` variables (ImageBuffer::constant), where it is another than everything's.
  std::optional<std::uint64_t> constants;
  bool rest = false;  // only what a device cannot draw by itself (device_draws)
};

/// Whether a device makes this input by itself in this form.
bool device_draws(const ImageLayout& layout, const Argument& argument, const std::string& form);

/// Draws every input and inout into a painted image. An element is a pure function of (seed, argument's name, place in
/// row-major order), the same on every machine and for any number of threads. The generators and
/// their options: core/generators.cpp.
/// Throws Error for an argument without generator, an unknown generator or form, and options that cannot be met.
void draw_inputs(const Problem& problem, const ImageLayout& layout, std::uint64_t seed, std::span<std::byte> image,
                 const DrawOptions& options = {});

/// Some elements of an input that a device can draw by itself: where they lie in the image, and the bits that they must
/// have.
struct DrawnSample {
  std::vector<std::int64_t> places;  // bytes
  std::vector<std::uint64_t> bits;
};
DrawnSample sample_draw(const Problem& problem, const ImageLayout& layout, const Argument& argument, std::uint64_t seed,
                        const std::string& form = "nominal");

/// Names of the inputs with a `custom` generator, which runs trusted device code: the caller fills them after painting.
std::vector<std::string> needs_custom_draw(const Problem& problem);

/// Of an input that a device does not draw by itself.
std::uint64_t seed_of(const ImageLayout& layout, const Argument& argument, std::uint64_t seed,
                      const std::optional<std::uint64_t>& constants);

}  // namespace harness::judge
