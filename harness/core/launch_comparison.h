#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/core/dtype.h"

// A launch and its reference, compared by a device: what it is asked, and what it answers, as plain numbers. judge/
// says what they mean (output.h, measure.h) and decides.
namespace harness {

struct ByteRange {
  std::int64_t begin = 0, end = 0;
};

enum class ComparedAs { relative, ulp, quantized, exact };

/// The valid rows of a ragged output: element i is valid if i / inner % extent < lengths[i / outer].
struct ValidRows {
  std::int64_t at = 0;  // of the lengths in the painted image, one after another
  Dtype dtype = Dtype::s32;
  std::int64_t outer = 1, inner = 1, extent = 1;
};

inline constexpr std::size_t kMostComparedDimensions = 6;

/// One output. Places count from the start of the image, of the reference's image for its exact values, which are f64
/// or the same integers, with the same strides.
struct ComparedOutput {
  ComparedAs as = ComparedAs::relative;
  Dtype dtype = Dtype::f32;
  std::int64_t at = 0, bytes = 0, reference_at = 0;
  std::vector<std::int64_t> extents, strides;  // outermost first, in elements; one at least
  double tolerance = 0, steps = 0, row_factor = 1;
  std::optional<ValidRows> valid;
  bool padded = false;  // there are bytes between its elements
  struct Place {
    std::int64_t unit = 0, row = 0;  // in storage; of the row-major order
  };
  std::vector<Place> sampled;  // elements that are told one by one
};

struct LaunchComparison {
  std::vector<ComparedOutput> outputs;
  std::vector<ByteRange> kept;  // that must be as they were painted
};

/// An element as it was left and its exact value, as bits, and the rms of the reference's row (floating types).
struct SampledElement {
  std::uint64_t got = 0, reference = 0;
  double row_rms = 0;
};

/// judge/measure.h: Measured and Sums.
struct OutputNumbers {
  std::int64_t compared = 0, wrong = 0, over_steps = 0, disagree = 0, non_finite = 0, unwritten = 0, mismatches = 0;
  std::int64_t max_ulp = 0;
  double worst_badness = 0, worst_row_error = 0;
  std::int64_t changed = 0, changed_outside = 0;  // elements that are other than before; those outside valid rows
  std::int64_t changed_units = 0;                 // the same in all of its storage, where it is padded
  std::array<std::int64_t, 33> ulp_histogram{};
  double error2 = 0, reference2 = 0, product = 0;
  std::int64_t count = 0;
  double reference_rms = 0;
  std::vector<SampledElement> sampled;
};

struct LaunchNumbers {
  std::vector<OutputNumbers> outputs;
  std::int64_t changed_words = 0;  // of 8 bytes, in the ranges that must be as they were
};

}  // namespace harness
