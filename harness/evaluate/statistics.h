#pragma once
#include <span>

#include "harness/core/outcome.h"

namespace harness {

/// A median with its 95 % confidence interval, in the samples' unit.
struct Estimate {
  double median = 0, lo = 0, hi = 0;
  std::size_t samples = 0;
  double smallest = 0, largest = 0;  // of the samples, widened as lo and hi are
};

/// By how much medians of whole processes differ beside the noise within one: a share of the median plus a constant.
struct ProcessSpread {
  double share = 0, ns = 0;
};

/// Median and distribution-free interval from order statistics (ranks n/2 -+ 1.96 sqrt(n)/2, the binomial
/// approximation; all samples below n = 6), widened by the spread between processes.
Estimate estimate(std::span<const double> samples, ProcessSpread spread);

/// faster or slower only where the intervals of candidate and incumbent do not overlap. Below kFewestForIntervals
/// samples on either side the samples themselves must lie apart, at least kFewestForVerdict on each side: of n and m
/// from one distribution that happens twice in C(n+m, n) times, which must be kRarest or more, or the medians differ by
/// more than kPlainly, which no noise of a slow kernel does.
inline constexpr std::size_t kFewestForVerdict = 3, kFewestForIntervals = 6;
inline constexpr double kRarest = 40, kPlainly = 1.5;
Comparison compare(const Estimate& candidate, const Estimate& incumbent);

/// What a candidate's samples say, and those of the incumbent where it was timed in the same run: times, verdict, and
/// the speedup over the baseline, by the incumbent's own where it has one, else by `baseline_ns`.
Timing timing_of_samples(const std::vector<Samples>& samples, ProcessSpread spread, std::optional<double> baseline_ns,
                         std::optional<double> incumbent_speedup);

/// Medians of ten fresh processes differed by 0.3 % on an H200 (large kernels; up to 2.9 % for a hot 1 MB copy).
constexpr ProcessSpread kProcessSpreadGpu{0.003, 0};
/// Emulation on a shared host: wall-clock medians of fresh processes of the same code differ by up to a tenth, and by
/// what it takes to wake a process up.
constexpr ProcessSpread kProcessSpreadCpu{0.1, 60e3};

}  // namespace harness
