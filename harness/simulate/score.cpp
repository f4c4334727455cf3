#include "harness/simulate/score.h"

#include <algorithm>
#include <cmath>

namespace harness::simulate {
namespace {

constexpr int kTimes = 50;
constexpr double kNear = 0.05;

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// Neumaier's sum: the mean cost must not depend on the order of the file.
double exact_sum(const std::vector<double>& values) {
  double sum = 0, lost = 0;
  for (const double value : values) {
    const double next = sum + value;
    lost += std::abs(sum) >= std::abs(value) ? (sum - next) + value : (value - next) + sum;
    sum = next;
  }
  return sum + lost;
}

/// Where random search is expected to know the optimum there is nothing left to be better at: reached or not.
double share(double random, double found, double optimum) {
  if (random <= optimum) return found <= optimum ? 1 : 0;
  return (random - found) / (random - optimum);
}

double best_at(const Trace& trace, double seconds, double none) {
  double best = none;
  bool first = true;
  for (const auto& [spent, time] : trace) {
    if (spent > seconds) break;
    best = first ? time : std::min(best, time);
    first = false;
  }
  return best;
}

}  // namespace

Yardstick::Yardstick(const RecordedSpace& space) : count_(space.records.size()) {
  std::vector<double> costs;
  for (const Record& record : space.records) {
    costs.push_back(record.cost_s);
    if (record.time_ms) times_.push_back(*record.time_ms);
  }
  std::sort(times_.begin(), times_.end());
  median_ = median_of(times_);
  mean_cost_ = exact_sum(costs) / static_cast<double>(count_);
  const double target = optimum_ms() + kNear * (median_ - optimum_ms());
  const auto good = std::upper_bound(times_.begin(), times_.end(), target) - times_.begin();
  const auto slower = static_cast<double>(times_.size() - static_cast<std::size_t>(good));
  evaluations_ = static_cast<std::size_t>(std::ceil(slower / (static_cast<double>(times_.size()) + 1 - slower)));
  budget_s_ = static_cast<double>(evaluations_) * median_of(costs);
}

double Yardstick::expected_best(double draws) const {
  const auto all = static_cast<double>(count_);
  if (draws <= 0) return median_;
  if (draws >= all) return optimum_ms();
  double missed = 1, expected = 0;  // missed: the probability that the best j were all missed
  for (std::size_t j = 0; j < times_.size(); ++j) {
    const double rest = all - static_cast<double>(j);
    const double next = missed * (rest - draws) / rest;
    expected += times_[j] * (missed - next);
    missed = next;
    if (missed < 1e-15) return expected;
  }
  return expected + median_ * missed;
}

double Yardstick::random_at(double seconds) const {
  const double draws = seconds / mean_cost_;
  const double whole = std::floor(draws);
  const double here = expected_best(whole);
  return here + (draws - whole) * (expected_best(whole + 1) - here);
}

Yardstick::Score Yardstick::score(const Trace& trace, double factor) const {
  Score score;
  const double budget = budget_s_ * factor;
  double sum = 0;
  for (int j = 1; j <= kTimes; ++j) {
    const double t = budget * j / kTimes;
    const double random = random_at(t), found = best_at(trace, t, median_);
    score.p_end = share(random, found, optimum_ms());
    sum += score.p_end;
    score.best_over_optimum = found / optimum_ms();
  }
  score.p = sum / kTimes;
  for (const auto& [spent, time] : trace) {
    if (spent > budget || score.within_5_percent_s) break;
    if (time <= (1 + kNear) * optimum_ms()) score.within_5_percent_s = spent;
  }
  return score;
}

}  // namespace harness::simulate
