#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/core/contract.h"
#include "harness/core/image.h"
#include "harness/judge/reference.h"

// The gates are tested themselves: images that a wrong kernel would leave, made from the right answer. No device code
// runs for them, so there are some for every kernel and every output.
namespace harness::judge {

/// One draw with its right answer, and what a cheat could have instead.
struct MutantSources {
  const Problem& problem;
  const ImageLayout& layout;
  std::span<const std::byte> painted;
  const ReferenceValues& right;
  const ReferenceValues& previous;  // of two other draws
  const ReferenceValues& other;
  const ReferenceValues& impostor;  // of inputs rounded to one precision lower
};

/// "all zeros", "identity", "constant", "previous output", "inputs of another draw", "partly written", "one precision
/// lower", "scaled by 1.01", "transposed tile", "last row missing", "last column missing".
const std::vector<std::string>& mutant_names();

/// The painted image with every output's right answer, rounded to its type.
std::vector<std::byte> honest_image(const MutantSources& sources);

/// `honest`, the image of the right answers, with one output replaced by a mutant. nullopt where that output has no
/// such mutant: it would be the right answer again, or "one precision lower" means nothing for its type.
std::optional<std::vector<std::byte>> mutant_image(const MutantSources& sources, const std::vector<std::byte>& honest,
                                                   const std::string& mutant, const Argument& output);

/// Mantissa bits of the type one precision below, as the impostor uses them: f64 -> 23 (f32), f32 -> 10 (tf32), f16 ->
/// 7 (bf16), bf16 -> 3 (e4m3), e4m3 -> 2 (e5m2), e5m2 -> 1; a declared `impostor_bits` of the comparison overrides. 0
/// for integers.
int impostor_bits(const Argument& argument);
/// To nearest, ties to even, with an unbounded exponent.
double round_to_bits(double value, int mantissa_bits);
/// Every floating input and inout rounded to its impostor's precision.
void round_inputs(const Problem& problem, const ImageLayout& layout, std::span<std::byte> image);

}  // namespace harness::judge
