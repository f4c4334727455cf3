#include "harness/evaluate/statistics.h"

#include <algorithm>
#include <cassert>
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
  assert(low <= high && high < n);
  const double margin = (median * spread.share + spread.ns) / 2;
  return {median, sorted[low] - margin, sorted[high] + margin, n, sorted.front() - margin, sorted.back() + margin};
}

namespace {

/// C(n + m, n).
double arrangements(std::size_t n, std::size_t m) {
  double count = 1;
  for (std::size_t i = 1; i <= n; ++i) count *= static_cast<double>(m + i) / static_cast<double>(i);
  return count;
}

bool few_samples_tell(const Estimate& a, const Estimate& b) {
  if (std::min(a.samples, b.samples) < kFewestForVerdict) return false;
  const bool apart = a.largest < b.smallest || b.largest < a.smallest;
  const bool plain = std::max(a.median, b.median) > kPlainly * std::min(a.median, b.median);
  return apart && (plain || arrangements(a.samples, b.samples) >= kRarest);
}

}  // namespace

Comparison compare(const Estimate& candidate, const Estimate& incumbent) {
  if (std::min(candidate.samples, incumbent.samples) < kFewestForIntervals && !few_samples_tell(candidate, incumbent))
    return Comparison::same;
  if (candidate.hi < incumbent.lo) return Comparison::faster;
  if (candidate.lo > incumbent.hi) return Comparison::slower;
  return Comparison::same;
}

}  // namespace harness
