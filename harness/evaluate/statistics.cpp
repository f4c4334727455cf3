#include "harness/evaluate/statistics.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace harness {

Estimate estimate(std::span<const double> samples, ProcessSpread spread) {
  if (samples.empty()) return {};
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  const double median = n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
  std::size_t low = 0, high = n - 1;
  if (n >= 6) {
    const double center = static_cast<double>(n) / 2, half = 1.96 * std::sqrt(static_cast<double>(n)) / 2;
    low = static_cast<std::size_t>(std::max(0.0, std::floor(center - half)));
    high = static_cast<std::size_t>(std::min(static_cast<double>(n - 1), std::ceil(center + half)));
  }
  const double margin = (median * spread.share + spread.ns) / 2;
  return {median, sorted[low] - margin, sorted[high] + margin, n};
}

Comparison compare(const Estimate& candidate, const Estimate& incumbent) {
  if (std::min(candidate.samples, incumbent.samples) < kFewestForVerdict) return Comparison::same;
  if (candidate.hi < incumbent.lo) return Comparison::faster;
  if (candidate.lo > incumbent.hi) return Comparison::slower;
  return Comparison::same;
}

}  // namespace harness
