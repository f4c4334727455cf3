#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "harness/script/model/forest.h"
#include "harness/script/model/trend.h"
#include "harness/script/space/features.h"

namespace harness::script {

struct SurrogateOptions {
  ForestOptions forest;
  std::size_t candidates = 4096;  // points that a proposal looks at; spaces that are not larger are looked at whole
  double cost_weight = 1;         // exponent of the predicted cost that the expected improvement is divided by
  double explore = 1;             // factor on the deviation
  double squash = 1;              // of what a logarithm of a time lies above the median of the first ones, what stays
  std::size_t early = 8;          // how many are the first ones
  double trend = 0;    // where times tie: of what follows smoothly from the parameters, what is believed, 0 to 1
  double novelty = 0;  // where times tie: deviation of what resembles nothing that passed, in deviations of all times
};

/// What evaluations so far say of those not made yet: a forest over the logarithm of the time of what passed, one over
/// whether it passes, and one over the logarithm of the cost. Fitted when asked, if something new was observed.
class Surrogate {
 public:
  Surrogate(const SearchSpace& space, const SurrogateOptions& options, std::uint64_t seed);

  /// The time is that of a passed one. Observed points are not proposed again.
  void observe(std::size_t point, std::optional<double> time_ns, double cost_s);

  /// Its evaluation is under way: it is not proposed until it was observed, and nothing is assumed of it.
  void expect(std::size_t point) { pending_.insert(point); }

  struct Prediction {
    Estimate log_time;
    double passes = 1;  // probability
    double cost_s = 0;
  };
  /// nullopt until something passed.
  std::optional<Prediction> predict(std::size_t point);

  /// Points not observed yet, the most promising first: expected improvement on the best time (Jones, Schonlau, Welch
  /// 1998) of the logarithm, times the probability of passing, per predicted cost. Looked at are the whole space, or a
  /// sample of it and the neighbours of the best. Fewer than `count` near the end of a space; random while nothing
  /// passed.
  std::vector<std::size_t> propose(std::size_t count);

  /// These points by the same measure, the most promising first; observed ones are left out.
  std::vector<std::size_t> rank(std::vector<std::size_t> points);

  /// By parameter, the share of the variation of the time that it explains; products count half to each.
  std::vector<double> importance();

  std::size_t parameters() const { return features_.parameters(); }
  const char* name(std::size_t parameter) const { return features_.name(parameter).c_str(); }
  /// Roughly the steps that it takes to look at so many points, and to fit first where something new was observed: to
  /// be counted against a script's limit.
  std::int64_t work(std::size_t points) const;
  /// Points that a proposal looks at, at most.
  std::size_t looked_at() const { return std::min(space_.size(), options_.candidates); }

 private:
  bool is_known(std::size_t point) const { return seen_.contains(point) || pending_.contains(point); }
  void refit();
  void fit_times();
  std::vector<double> squashed_times() const;
  std::vector<std::size_t> candidates();
  void add_candidate(std::size_t point, std::vector<std::size_t>& points);
  std::vector<std::size_t> most_promising(std::vector<std::size_t> points, std::size_t count);
  /// The logarithms of the times at these points, whose features are `rows`.
  std::vector<Estimate> times_at(const std::vector<std::size_t>& points, const Matrix& rows) const;
  double trend_at(std::size_t point) const;
  std::vector<double> forest_shares() const;
  void weigh_parameters();
  double unlike_all(const float* row) const;
  Matrix features_of(const std::vector<std::size_t>& points) const;
  std::vector<double> merits(const std::vector<std::size_t>& points);

  const SearchSpace& space_;
  SurrogateOptions options_;
  SpaceFeatures features_;
  Random random_;
  Matrix all_, passed_;                      // features of what was observed, and of what passed
  std::vector<double> costs_, oks_, times_;  // log cost, 1 or 0; log time of what passed
  std::vector<std::size_t> passed_points_;
  std::unordered_map<std::size_t, std::size_t> seen_;  // point -> how often it was observed
  std::unordered_set<std::size_t> pending_;
  std::unordered_map<std::size_t, std::size_t> taken_;  // in the candidates being gathered
  std::vector<double> terms_;                           // of what passed, for the trend
  Trend trend_;
  std::vector<double> shares_;     // of the variation of the time that each parameter explains
  std::vector<double> relevance_;  // their roots, the largest being 1
  double trend_weight_ = 0;        // how far the trend is believed now
  double unlike_deviation_ = 0;    // of a logarithm of a time where nothing that passed is alike
  Forest time_, pass_, cost_;      // times: what they are beyond the trend
  bool stale_ = true;
};

}  // namespace harness::script
