#include "harness/device/cuda/run/stopping.h"

#include <algorithm>
#include <cmath>

#include "harness/core/abandon.h"

namespace harness::cuda {
namespace {

/// The largest 1-based rank j with P(Binomial(n, 1/2) < j) <= 2.5 %; at least 1.
std::size_t lower_rank(std::size_t n) {
  if (n > 100) {
    const double size = static_cast<double>(n);
    return static_cast<std::size_t>(size / 2 - 0.98 * std::sqrt(size));
  }
  double term = std::pow(0.5, static_cast<double>(n)), cumulative = term;
  std::size_t rank = 0;
  while (cumulative <= 0.025) {
    ++rank;
    term *= static_cast<double>(n - rank + 1) / static_cast<double>(rank);
    cumulative += term;
  }
  return std::max<std::size_t>(rank, 1);
}

bool is_settled(const std::vector<double>& samples, double noise) {
  const MedianInterval interval = median_interval(samples);
  const double reach = std::max(interval.hi - interval.median, interval.median - interval.lo);
  return samples.size() >= 6 && reach <= noise * interval.median;
}

}  // namespace

MedianInterval median_interval(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  const std::size_t n = samples.size(), rank = lower_rank(n);
  return {(samples[(n - 1) / 2] + samples[n / 2]) / 2, samples[rank - 1], samples[n - rank]};
}

bool should_stop(std::span<const std::vector<double>> contenders, double elapsed_s, const TimingPolicy& policy) {
  if (contenders.size() > 1 && clearly_slower(contenders[0], contenders[1], policy.abandon_factor)) return true;
  std::size_t fewest = SIZE_MAX;
  for (const auto& samples : contenders) fewest = std::min(fewest, samples.size());
  if (fewest < static_cast<std::size_t>(std::max(policy.min_samples, 1))) {
    return elapsed_s >= 4 * policy.max_s && fewest >= 3;
  }
  if (elapsed_s >= policy.max_s) return true;
  return std::all_of(contenders.begin(), contenders.end(),
                     [&](const auto& samples) { return is_settled(samples, policy.noise); });
}

}  // namespace harness::cuda
