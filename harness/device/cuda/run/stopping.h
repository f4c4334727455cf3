#pragma once
#include <span>
#include <vector>

#include "harness/core/device.h"

namespace harness::cuda {

struct MedianInterval {
  double median = 0, lo = 0, hi = 0;
};

/// The median and the narrowest pair of order statistics that covers it with at least 95 %, whatever the distribution
/// (binomial; exact up to 100 samples). Below 6 samples no pair does, and the extremes are given. Empty: zeros.
MedianInterval median_interval(std::vector<double> samples);

/// When to stop sampling: never before every contender has policy.min_samples, then as soon as each one's interval lies
/// within policy.noise of its median, or policy.max_s have passed. Contenders too slow for min_samples end at four
/// times max_s with three samples each. At once when the first contender is clearly slower than policy.abandon_factor
/// times the second.
bool should_stop(std::span<const std::vector<double>> contenders, double elapsed_s, const TimingPolicy& policy);

}  // namespace harness::cuda
