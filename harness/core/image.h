#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/dtype.h"
#include "harness/core/enum_text.h"
#include "harness/core/json.h"

// Memory image of one launch: every buffer of a problem and a plan in one contiguous block with guard zones between
// them. The judge paints it (inputs, poison, guards), a runner carries it to the device, runs the plan and brings it
// back, and the judge reads it again: the runner needs no knowledge of what the bytes mean.
namespace harness {

/// An address to be written into a buffer of pointers: at byte `at` of the image goes the device address of `target`.
struct Relocation {
  std::int64_t at = 0;
  std::int64_t target = 0;
};

enum class DrawKind { normal, uniform, mask, integers };

/// How a buffer's elements follow from random bits, each from its own alone: a device can draw them anew without the
/// judge. Element i in row-major order is what judge/ makes of the bits of (seed, stream, i):
///   normal: scale * z + offset     uniform: scale * u + offset     mask: 1 with probability scale, else 0
///   integers: lo + one of `range` numbers (0: of 2^64)
struct ElementDraw {
  DrawKind kind = DrawKind::normal;
  Dtype dtype = Dtype::f32;  // that it is stored as
  bool poison = false;       // what an output holds before a launch; else an input
  std::uint64_t stream = 0;
  double scale = 1, offset = 0;
  std::int64_t lo = 0;
  std::uint64_t range = 0;
  std::vector<std::int64_t> extents, strides;  // in elements, innermost first, at most kMostDrawDimensions
};
inline constexpr std::size_t kMostDrawDimensions = 4;

/// The seeds of a launch's fresh values, where a device drew them: of the inputs, and of what outputs held before.
struct FreshSeeds {
  std::uint64_t values = 0, poison = 0;
};

struct ImageBuffer {
  std::string name;         // argument or workspace
  std::int64_t offset = 0;  // of the payload within the image, bytes
  std::int64_t bytes = 0;
  bool restored = false;  // changes during a run and must be pristine before the next: inout, zeroed workspace
  bool constant = false;  // fills a `__constant__` variable: holds the same in all images that are timed together
  /// Nothing: its elements depend on each other or on other buffers, or are no tensor's.
  std::optional<ElementDraw> draw;
  /// Of two launches on the same inputs. 0: the bits are the same; above: the relative L2 distance that a kernel may
  /// have from itself; nothing: no output, or not comparable without its reference.
  std::optional<double> agreement;
};

/// Whole pages of an image.
struct ImagePages {
  std::int64_t offset = 0, bytes = 0;
};
inline constexpr std::int64_t kPageBytes = 4096;

/// Guard zones fill everything that no buffer covers. The image is placed at an address aligned to kPageBytes.
struct ImageLayout {
  std::int64_t bytes = 0;
  std::vector<ImageBuffer> buffers;  // ascending offsets; views point into other buffers and are listed last
  std::vector<Relocation> relocations;
  /// Where a candidate works on the image itself, these pages can be taken from it: those that hold inputs alone may
  /// only be read, and the one behind each input, at which it ends, not at all (Session::close_inputs).
  std::vector<ImagePages> read_only, closed;
};

const ImageBuffer* find_buffer(const ImageLayout& layout, const std::string& name);

void to_json(json& to, const Relocation& value);
void from_json(const json& from, Relocation& value);
HARNESS_ENUM_TEXT(DrawKind);
void to_json(json& to, const ElementDraw& value);
void from_json(const json& from, ElementDraw& value);
void to_json(json& to, const FreshSeeds& value);
void from_json(const json& from, FreshSeeds& value);
void to_json(json& to, const ImageBuffer& value);
void from_json(const json& from, ImageBuffer& value);
void to_json(json& to, const ImagePages& value);
void from_json(const json& from, ImagePages& value);
void to_json(json& to, const ImageLayout& value);
void from_json(const json& from, ImageLayout& value);

}  // namespace harness
