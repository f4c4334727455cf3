#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/core/contract.h"
#include "harness/core/image.h"

namespace harness::judge {

struct DrawOptions {
  /// nominal; or a hostile form of the floating inputs that are drawn normal or uniform: "scaled 1e-2", "scaled 1e2",
  /// "large" (8 times: large logits), "spikes" (one element in 128 is 64 times as large), "few spikes" (about sixteen
  /// of the whole tensor are 512 times as large), "shifted" (2 is added), "lowered" (100 is taken away), "one-hot" (a 1
  /// at a random place of each row, else 0), "ramp" (-1 to 1 along a row, each row turned differently). Integers are
  /// never changed.
  std::string form = "nominal";
  int threads = 0;  // 0: as many as the machine has
};

/// The forms that `draw_inputs` knows, "nominal" first.
const std::vector<std::string>& draw_forms();

/// Draws every input and inout into a painted image. An element is a pure function of (seed, argument's name, place in
/// row-major order), the same on every machine and for any number of threads. Options of the generators; those that are
/// text name an argument, or a size of the workload:
///   normal {mean = 0, std = 1, scale = 1}    scale * (mean + std * z), z as harness::random::normal (|z| < 4.9)
///   uniform {lo = 0, hi = 1}                 in [lo, hi)
///   integers {lo = 0, hi = 127}              both included
///   mask {density = 0.5}                     1 with this probability, else 0
///   constant {value = 0}                     at most 16 elements: constant data hides errors
///   permutation {n = all}                    every n elements are 0 .. n-1 in random order
///   ragged {lo = 1, hi, mean, total, capacity}  lengths in [lo, hi], or in [mean/2, 3 mean/2]; their sum is exactly
///                                            `total`, or at most `capacity`
///   prefix_sum {of}                          sums of the elements of `of` before each place, the first 0
///   block_table {lengths, block, blocks, unused = "minus_one"}  shape [sequences, max_blocks]: ceil(length / block)
///                                            blocks for each sequence, no two the same in the whole table; the rest
///                                            are -1, or with unused = "valid" blocks of the pool that nobody owns if
///                                            any
///   routing {experts, k = last extent, skew = 0, empty = 0}  shape [tokens, k]: k different experts for each token,
///                                            probability ~ 1 / rank^skew (skew in steps of 1/8), `empty` experts never
///   custom                                   left to the caller: see needs_custom_draw
/// Throws Error for an argument without generator, an unknown generator or form, and options that cannot be met.
void draw_inputs(const Problem& problem, const ImageLayout& layout, std::uint64_t seed, std::span<std::byte> image,
                 const DrawOptions& options = {});

/// Names of the inputs with a `custom` generator, which runs trusted device code: the caller fills them after painting.
std::vector<std::string> needs_custom_draw(const Problem& problem);

}  // namespace harness::judge
