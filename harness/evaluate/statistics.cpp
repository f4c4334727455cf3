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

Timing timing_of_samples(const std::vector<Samples>& samples, ProcessSpread spread, std::optional<double> baseline_ns,
                         std::optional<double> incumbent_speedup) {
  Timing timing;
  const Estimate own = estimate(samples[0].rotating_ns, spread);
  timing.time_ns = own.median;
  timing.time_lo_ns = own.lo;
  timing.time_hi_ns = own.hi;
  timing.samples = samples[0];
  if (!samples[0].cold_ns.empty()) timing.cold_ns = estimate(samples[0].cold_ns, {}).median;
  if (!samples[0].warm_ns.empty()) timing.warm_ns = estimate(samples[0].warm_ns, {}).median;
  std::optional<Estimate> baseline;
  if (baseline_ns) baseline = Estimate{*baseline_ns, *baseline_ns, *baseline_ns, 0};
  if (samples.size() > 1) {
    const Estimate other = estimate(samples[1].rotating_ns, spread);
    timing.incumbent_ns = other.median;
    timing.verdict = compare(own, other);
    // Measured in this very run: what the host's speed does meanwhile happens to both.
    if (incumbent_speedup)
      baseline = Estimate{other.median * *incumbent_speedup, other.lo * *incumbent_speedup,
                          other.hi * *incumbent_speedup, other.samples};
  }
  if (!baseline) return timing;
  timing.baseline_ns = baseline->median;
  timing.speedup = baseline->median / own.median;
  timing.speedup_lo = baseline->lo / own.hi;
  timing.speedup_hi = baseline->hi / own.lo;
  return timing;
}

}  // namespace harness
