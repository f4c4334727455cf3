#pragma once
#include <span>

#include "harness/core/outcome.h"

namespace harness {

/// A median with its 95 % confidence interval, in the samples' unit.
struct Estimate {
  double median = 0, lo = 0, hi = 0;
  std::size_t samples = 0;
};

/// Median and distribution-free interval from order statistics (ranks n/2 -+ 1.96 sqrt(n)/2, the binomial
/// approximation; all samples below n = 6), widened by `process_spread`, the share by which medians of whole processes
/// differ.
Estimate estimate(std::span<const double> samples, double process_spread);

/// faster or slower only where the intervals of candidate and incumbent do not overlap, and both rest on at least
/// kFewestForVerdict samples: the ranges of two samples of six from one distribution lie apart once in 462 times.
inline constexpr std::size_t kFewestForVerdict = 6;
Comparison compare(const Estimate& candidate, const Estimate& incumbent);

/// Medians of ten fresh processes differed by 0.3 % on an H200 (large kernels; up to 2.9 % for a hot 1 MB copy).
constexpr double kProcessSpreadGpu = 0.003;
/// Emulation on a shared host: wall-clock medians of fresh processes of the same code differ by up to a tenth.
constexpr double kProcessSpreadCpu = 0.1;

}  // namespace harness
