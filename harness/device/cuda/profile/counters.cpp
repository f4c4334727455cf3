#include "harness/device/cuda/profile/counters.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace harness::cuda {
namespace {

std::optional<double> find_number(const std::vector<ProfileNumber>& numbers, std::string_view name) {
  const auto number = std::ranges::find(numbers, name, &ProfileNumber::name);
  return number == numbers.end() ? std::nullopt : std::optional(number->value);
}

/// Its time; something where a launch was too short to have any.
double weight_of(const LaunchProfile& launch) {
  constexpr double kLeastNs = 1e-3;
  return std::max(kLeastNs, find_number(launch.numbers, "time_ns").value_or(1));
}

/// One number over all launches; nothing where one of them does not know it.
std::optional<double> total(const ProfileMetric& metric, std::span<const LaunchProfile> launches) {
  double sum = 0, weights = 0;
  for (const LaunchProfile& launch : launches) {
    const auto value = find_number(launch.numbers, metric.name);
    if (!value) return std::nullopt;
    const double weight = metric.adds_up ? 1 : weight_of(launch);
    sum += *value * weight;
    weights += weight;
  }
  return metric.adds_up ? sum : sum / weights;
}

}  // namespace

std::vector<std::string> counter_names() {
  std::vector<std::string> names;
  for (const ProfileMetric& metric : profile_metrics())
    if (!metric.counter.empty()) names.emplace_back(metric.counter);
  return names;
}

void add_counter(std::string_view name, double value, std::vector<ProfileNumber>& numbers) {
  if (!std::isfinite(value)) return;
  const auto& metrics = profile_metrics();
  const auto metric = std::ranges::find(metrics, name, &ProfileMetric::counter);
  if (metric == metrics.end() || name.empty()) return;
  numbers.push_back({std::string(metric->name), metric->unit == "share" ? value / 100 : value});
}

std::vector<ProfileNumber> sum_of_launches(std::span<const LaunchProfile> launches) {
  if (launches.empty()) return {};
  std::vector<ProfileNumber> numbers;
  for (const ProfileMetric& metric : profile_metrics())
    if (const auto value = total(metric, launches)) numbers.push_back({std::string(metric.name), *value});
  return numbers;
}

}  // namespace harness::cuda
