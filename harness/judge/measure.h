#pragma once
#include <cstdint>

#include "harness/core/outcome.h"
#include "harness/judge/output.h"

namespace harness::judge {

/// Over the elements of a row, or of a whole output.
struct Sums {
  double error2 = 0, reference2 = 0, product = 0;  // squared errors and references, got times reference
  std::int64_t count = 0;
  double terms2 = 0;  // squared terms of the elements, where they were measured
  void add(const Sums& other) {
    error2 += other.error2;
    reference2 += other.reference2;
    product += other.product;
    count += other.count;
    terms2 += other.terms2;
  }
};

/// What one pass over an output finds.
struct Measured {
  ArgumentError error;
  std::int64_t compared = 0;    // valid elements
  std::int64_t wrong = 0;       // badness > 1
  std::int64_t over_steps = 0;  // quantized: off by more than `steps`
  std::int64_t disagree = 0;    // NaN and infinities on one side only, or different
  std::int64_t first_unwritten = -1, first_disagree = -1;
  std::int64_t worst = -1;  // element of the largest badness
  double worst_badness = 0;
  std::int64_t worst_row = -1;
  double worst_row_error = 0;
  double factor = 1;        // <out, ref> / <ref, ref>
  double cancellation = 1;  // how much smaller the reference is than its terms, where they are known
};
/// The same numbers to the last bit on any number of threads.
Measured measure(const Output& output);
/// The errors of a whole output, from the sums over all of its elements. `terms`: ReferenceArray.
void conclude(const Comparison& comparison, const Sums& total, double terms, Measured& m);

/// What the comparison measures: relative L2 error, largest distance in ulp, or fraction of differing elements (all
/// others). Infinite where finiteness disagrees.
double error_of(const Comparison& comparison, const Measured& m);

}  // namespace harness::judge
