#pragma once
#include <utility>
#include <vector>

#include "harness/simulate/recorded_space.h"

// How good a search is on a recorded space: the methodology of Willemsen et al. ("A Methodology for Comparing
// Auto-Tuning Optimization Algorithms", FGCS 2024) in the form that shared spaces are scored with.
namespace harness::simulate {

/// What a search found, in the order it found it: seconds spent so far, the best time so far in ms. Improvements only
/// are enough.
using Trace = std::vector<std::pair<double, double>>;

/// Statistics of a space and what random search is expected to do on it. With n configurations of which N have a time
/// x_1 <= ... <= x_N:
///   optimum = x_1, median = median(x), target = optimum + 0.05 (median - optimum)
///   evaluations = ceil(i / (N + 1 - i)), i the 0-based place of the first time <= target, slowest first
///   budget_s = evaluations * median cost over all n
class Yardstick {
 public:
  explicit Yardstick(const RecordedSpace& space);

  double optimum_ms() const { return times_.front(); }
  double median_ms() const { return median_; }
  double budget_s() const { return budget_s_; }
  std::size_t evaluations() const { return evaluations_; }
  std::size_t configurations() const { return count_; }
  std::size_t timed() const { return times_.size(); }

  /// Expected best time of random search after `seconds`, draws without replacement at the mean cost, linear between
  /// whole draws; the median stands for "nothing found yet".
  double random_at(double seconds) const;

  struct Score {
    double p = 0;                  // mean over 50 equidistant times t of (random(t) - found(t)) / (random(t) - optimum)
    double p_end = 0;              // the same at the end of the budget
    double best_over_optimum = 0;  // at the end
    std::optional<double> within_5_percent_s;  // when the trace first was at most 5 % above the optimum
  };
  /// 0 is expected random search, 1 the optimum known from the first instant. `factor` multiplies the budget;
  /// a time at which random search is expected to know the optimum counts 1 if it was found by then, else 0.
  Score score(const Trace& trace, double factor = 1) const;

 private:
  double expected_best(double draws) const;

  std::vector<double> times_;  // ascending
  std::size_t count_ = 0, evaluations_ = 0;
  double median_ = 0, budget_s_ = 0, mean_cost_ = 0;
};

}  // namespace harness::simulate
