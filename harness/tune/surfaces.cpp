#include "harness/tune/surfaces.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace harness::tune {
namespace {

constexpr double kNoise = 1e-3;       // variance of what is measured over that of all that is measured of a candidate
constexpr double kUsualSpread = 0.2;  // of log ratios about their mean
constexpr double kUsualCounts = 2;    // as much as so many measured ones that had it
constexpr double kUsualReach = 4;     // doublings
constexpr double kReaches[] = {1, 2, 4, 8};
constexpr std::size_t kTellReach = 6;  // measured ones of all candidates, from which on they tell of the reach
constexpr std::size_t kTelling = 2;    // measured ones of a candidate, from which on they tell of its surface

double doublings(const Point& a, const Point& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double apart = std::log2(static_cast<double>(a[i]) / static_cast<double>(b[i]));
    squares += apart * apart;
  }
  return std::sqrt(squares);
}

/// Matern, 3/2: smooth once.
double correlation(double distance, double reach) {
  const double scaled = std::sqrt(3.0) * distance / reach;
  return (1 + scaled) * std::exp(-scaled);
}

/// Solves lower x = right, in place.
void solve_lower(const std::vector<double>& lower, std::vector<double>& right) {
  const std::size_t n = right.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) right[i] -= lower[i * n + j] * right[j];
    right[i] /= lower[i * n + i];
  }
}

/// Solves lower^T x = right, in place.
void solve_upper(const std::vector<double>& lower, std::vector<double>& right) {
  const std::size_t n = right.size();
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) right[i] -= lower[j * n + i] * right[j];
    right[i] /= lower[i * n + i];
  }
}

double sum_of_products(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

void Surfaces::add(std::size_t candidate, const Point& point, double log_ratio) {
  Series& series = series_[candidate];
  known_ = false;
  const auto place = std::ranges::find(series.points, point);
  if (place != series.points.end()) {
    series.values[static_cast<std::size_t>(place - series.points.begin())] = log_ratio;
    return;
  }
  series.points.push_back(point);
  series.values.push_back(log_ratio);
}

std::optional<double> Surfaces::measured(std::size_t candidate, const Point& point) const {
  const Series& series = series_[candidate];
  const auto place = std::ranges::find(series.points, point);
  if (place == series.points.end()) return std::nullopt;
  return series.values[static_cast<std::size_t>(place - series.points.begin())];
}

Surfaces::Fitted Surfaces::fit(const Series& series, double reach) const {
  const std::size_t n = series.points.size();
  Fitted fitted;
  fitted.lower.assign(n * n, 0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double value = correlation(doublings(series.points[i], series.points[j]), reach) + (i == j ? kNoise : 0);
      for (std::size_t k = 0; k < j; ++k) value -= fitted.lower[i * n + k] * fitted.lower[j * n + k];
      fitted.lower[i * n + j] = i == j ? std::sqrt(std::max(value, 1e-12)) : value / fitted.lower[j * n + j];
    }
  std::vector<double> ones(n, 1);
  solve_lower(fitted.lower, ones);
  solve_upper(fitted.lower, ones);
  const double total = std::accumulate(ones.begin(), ones.end(), 0.0);
  fitted.mean = total > 0 ? sum_of_products(ones, series.values) / total : 0;
  fitted.weights = series.values;
  for (double& value : fitted.weights) value -= fitted.mean;
  solve_lower(fitted.lower, fitted.weights);
  solve_upper(fitted.lower, fitted.weights);
  return fitted;
}

/// The reach under which all that was measured is the likeliest, with the spread that is then. What is usual counts as
/// if it had been measured, too: two points that agree by chance promise nothing.
void Surfaces::learn() const {
  if (known_) return;
  double best = -std::numeric_limits<double>::infinity();
  reach_ = kUsualReach;
  spread_ = kUsualSpread;
  for (const double reach : kReaches) {
    double squares = 0, logarithms = 0;
    std::size_t count = 0;
    for (std::size_t candidate = 1; candidate < series_.size(); ++candidate) {
      const Series& series = series_[candidate];
      const std::size_t n = series.points.size();
      if (n < kTelling) continue;
      const Fitted fitted = fit(series, reach);
      for (std::size_t i = 0; i < n; ++i) {
        squares += (series.values[i] - fitted.mean) * fitted.weights[i];
        logarithms += std::log(fitted.lower[i * n + i]);
      }
      count += n;
    }
    if (count == 0) break;
    const double times = static_cast<double>(count) + kUsualCounts;
    const double variance = (squares + kUsualCounts * kUsualSpread * kUsualSpread) / times;
    const double likelihood = -0.5 * times * std::log(variance) - logarithms;
    if (count < kTellReach && reach != kUsualReach) continue;
    if (likelihood <= best) continue;
    best = likelihood;
    reach_ = reach;
    spread_ = std::sqrt(variance);
  }
  fitted_.clear();
  for (const Series& series : series_) fitted_.push_back(series.points.empty() ? Fitted{} : fit(series, reach_));
  known_ = true;
}

Expected Surfaces::at(std::size_t candidate, const Point& point) const {
  if (candidate == 0) return {0, 0, measured(0, point).has_value()};
  learn();
  const Series& series = series_[candidate];
  if (const auto value = measured(candidate, point)) return {*value, spread_ * std::sqrt(kNoise), true};
  const Fitted& fitted = fitted_[candidate];
  if (series.points.empty()) return {0, 10 * spread_, false};
  std::vector<double> near;
  for (const Point& known : series.points) near.push_back(correlation(doublings(known, point), reach_));
  const double mean = fitted.mean + sum_of_products(near, fitted.weights);
  solve_lower(fitted.lower, near);
  const double left = std::max(0.0, 1 + kNoise - sum_of_products(near, near));
  return {mean, spread_ * std::sqrt(left), false};
}

}  // namespace harness::tune
