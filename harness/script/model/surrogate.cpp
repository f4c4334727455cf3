#include "harness/script/model/surrogate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace harness::script {
namespace {

constexpr std::size_t kBestToLookAround = 5;
constexpr std::size_t kDrawsUnlisted = 200;
constexpr std::size_t kMostCompared = 128;  // of what passed, the newest
constexpr double kTie = 1e-6;               // logarithms of times that are closer are the same
constexpr double kFewTies = 0.1;            // share of results up to which ties are chance,
constexpr double kManyTies = 0.3;           // and from which on they count fully
constexpr double kLeastDeviation = 1e-4;

/// Expected improvement on `best` of a normal estimate (both logarithms of times).
double expected_improvement(const Estimate& estimate, double best) {
  const double deviation = std::max(estimate.deviation, kLeastDeviation);
  const double z = (best - estimate.mean) / deviation;
  const double density = std::exp(-0.5 * z * z) * 0.3989422804014327;
  const double below = 0.5 * std::erfc(-z * 0.7071067811865476);
  return deviation * (z * below + density);
}

bool varies(const std::vector<double>& values, double least) {
  const auto [low, high] = std::ranges::minmax(values);
  return high - low > least;
}

double deviation_of(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / count);
}

/// 0 to 1: how far parameters that do nothing decide what is seen. Measured times seldom are exactly the same.
double ties_among(std::vector<double> values) {
  std::ranges::sort(values);
  double tied = 0;
  for (std::size_t i = 1; i < values.size(); ++i) tied += values[i] - values[i - 1] < kTie ? 1 : 0;
  return std::clamp((tied / static_cast<double>(values.size()) - kFewTies) / (kManyTies - kFewTies), 0.0, 1.0);
}

}  // namespace

Surrogate::Surrogate(const SearchSpace& space, const SurrogateOptions& options, std::uint64_t seed)
    : space_(space), options_(options), features_(space), random_(seed) {
  all_.width = passed_.width = features_.width();
}

void Surrogate::observe(std::size_t point, std::optional<double> time_ns, double cost_s) {
  pending_.erase(point);
  if (seen_[point]++ > 0) return;
  features_.append(point, all_.cells);
  costs_.push_back(std::log(std::max(cost_s, 1e-6)));
  oks_.push_back(time_ns ? 1 : 0);
  if (time_ns) {
    features_.append(point, passed_.cells);
    if (options_.trend > 0) features_.append_terms(point, terms_);
    times_.push_back(std::log(std::max(*time_ns, 1e-3)));
    passed_points_.push_back(point);
  }
  stale_ = true;
}

// How slow the slow ones are says little of where the fast ones lie, and a forest would spend its splits on it.
std::vector<double> Surrogate::squashed_times() const {
  std::vector<double> early(times_.begin(),
                            times_.begin() + static_cast<std::ptrdiff_t>(std::min(options_.early, times_.size())));
  const auto middle = early.begin() + static_cast<std::ptrdiff_t>((early.size() - 1) / 2);
  std::ranges::nth_element(early, middle);
  std::vector<double> squashed = times_;
  for (double& time : squashed)
    if (time > *middle) time = *middle + options_.squash * (time - *middle);
  return squashed;
}

// A trend that all results decide misleads where small differences among the fast ones matter: on measured spaces it
// lost (docs/reports/searches.md). On a plateau trees see no direction at all. So it is asked where times tie. The
// forest learns by how much each time differs from what the others' trend foretells, so that a trend which fits too
// well is found out.
void Surrogate::fit_times() {
  std::vector<double> times = squashed_times();
  const double spread = deviation_of(times);
  const double ties = ties_among(times_);
  trend_weight_ = options_.trend * ties;
  if (trend_weight_ > 0) {
    trend_.fit(terms_, features_.terms(), times);
    for (std::size_t i = 0; i < times.size(); ++i) times[i] -= trend_weight_ * trend_.left_out(i);
  }
  time_.fit(passed_, times, options_.forest, random_);
  unlike_deviation_ = options_.novelty * ties * spread;
  weigh_parameters();
}

// What a parameter explains of the times: by the trend, and of what the trend leaves by the forest.
void Surrogate::weigh_parameters() {
  shares_ = forest_shares();
  std::vector<double> of_trend(shares_.size(), 0);
  if (trend_weight_ > 0) of_trend = features_.shares_of(trend_.weights());
  const double all = std::accumulate(of_trend.begin(), of_trend.end(), 0.0);
  const double share = all > 0 ? trend_weight_ * trend_.share() : 0;
  for (std::size_t i = 0; i < shares_.size(); ++i)
    shares_[i] = (1 - share) * shares_[i] + (all > 0 ? share * of_trend[i] / all : 0);
  const double most = shares_.empty() ? 0 : *std::ranges::max_element(shares_);
  relevance_ = shares_;
  for (double& each : relevance_) each = most > 0 ? std::sqrt(each / most) : 1;
}

// A point that differs from one that passed in nothing but what does not matter is known, however the trees disagree;
// and trees agree too easily on what is unlike all they have seen.
double Surrogate::unlike_all(const float* row) const {
  double least = 1;
  const std::size_t first = passed_.rows() > kMostCompared ? passed_.rows() - kMostCompared : 0;
  for (std::size_t i = first; i < passed_.rows(); ++i) {
    double apart = 0;
    for (std::size_t k = 0; k < relevance_.size() && apart < least; ++k)
      apart += relevance_[k] * features_.apart(k, row[k], passed_.row(i)[k]);
    least = std::min(least, apart);
  }
  return least;
}

double Surrogate::trend_at(std::size_t point) const {
  if (trend_weight_ <= 0 || trend_.share() <= 0) return 0;
  std::vector<double> terms;
  features_.append_terms(point, terms);
  return trend_weight_ * trend_.at(terms.data());
}

void Surrogate::refit() {
  if (!stale_ || costs_.empty() || features_.width() == 0) return;
  stale_ = false;
  if (!times_.empty()) fit_times();
  ForestOptions small = options_.forest;
  small.trees = std::max(8, small.trees / 3);
  if (varies(oks_, 0.5)) pass_.fit(all_, oks_, small, random_);
  if (options_.cost_weight > 0 && varies(costs_, 0.2)) cost_.fit(all_, costs_, small, random_);
}

std::optional<Surrogate::Prediction> Surrogate::predict(std::size_t point) {
  refit();
  if (!time_.fitted()) return std::nullopt;
  std::vector<float> row;
  features_.append(point, row);
  Prediction prediction;
  prediction.log_time = time_.estimate(row.data());
  prediction.log_time.mean += trend_at(point);
  prediction.passes = pass_.fitted() ? pass_.estimate(row.data()).mean : 1;
  prediction.cost_s = std::exp(cost_.fitted() ? cost_.estimate(row.data()).mean
                                              : std::accumulate(costs_.begin(), costs_.end(), 0.0) /
                                                    static_cast<double>(costs_.size()));
  return prediction;
}

void Surrogate::add_candidate(std::size_t point, std::vector<std::size_t>& points) {
  if (!is_known(point) && taken_[point]++ == 0) points.push_back(point);
}

std::vector<std::size_t> Surrogate::candidates() {
  std::vector<std::size_t> points;
  taken_.clear();
  if (space_.listed() && space_.size() <= options_.candidates) {
    for (std::size_t point = 0; point < space_.size(); ++point)
      if (!is_known(point)) points.push_back(point);
    return points;
  }
  std::vector<std::size_t> order(passed_points_.size());
  std::iota(order.begin(), order.end(), 0);
  const std::size_t near = std::min(kBestToLookAround, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(near), order.end(),
                    [&](std::size_t a, std::size_t b) { return std::pair(times_[a], a) < std::pair(times_[b], b); });
  for (std::size_t i = 0; i < near; ++i)
    for (const std::size_t point : space_.neighbours(passed_points_[order[i]])) add_candidate(point, points);
  // A point of a space that is not listed costs calls of its constraint.
  const std::size_t draws = space_.listed() ? options_.candidates : std::min(options_.candidates, kDrawsUnlisted);
  const auto below = [&](std::uint64_t count) { return random_.upto(count - 1); };
  for (std::size_t i = 0; i < draws; ++i) add_candidate(space_.random(below), points);
  return points;
}

Matrix Surrogate::features_of(const std::vector<std::size_t>& points) const {
  Matrix rows{features_.width(), {}};
  rows.cells.reserve(points.size() * rows.width);
  for (const std::size_t point : points) features_.append(point, rows.cells);
  return rows;
}

std::vector<Estimate> Surrogate::times_at(const std::vector<std::size_t>& points, const Matrix& rows) const {
  std::vector<Estimate> times = time_.estimates(rows);
  for (std::size_t i = 0; i < points.size(); ++i) times[i].mean += trend_at(points[i]);
  return times;
}

std::vector<double> Surrogate::merits(const std::vector<std::size_t>& points) {
  const Matrix rows = features_of(points);
  const double best = *std::ranges::min_element(times_);
  std::vector<double> merits;
  merits.reserve(points.size());
  std::size_t row = 0;
  for (Estimate& time : times_at(points, rows)) {
    time.deviation *= options_.explore;
    if (unlike_deviation_ > 0)
      time.deviation = std::hypot(time.deviation, unlike_deviation_ * unlike_all(rows.row(row)));
    merits.push_back(expected_improvement(time, best));
    ++row;
  }
  if (pass_.fitted()) {
    const std::vector<Estimate> passes = pass_.estimates(rows);
    for (std::size_t i = 0; i < points.size(); ++i) merits[i] *= passes[i].mean;
  }
  if (cost_.fitted()) {
    const std::vector<Estimate> costs = cost_.estimates(rows);
    for (std::size_t i = 0; i < points.size(); ++i) merits[i] *= std::exp(-options_.cost_weight * costs[i].mean);
  }
  return merits;
}

std::vector<std::size_t> Surrogate::most_promising(std::vector<std::size_t> points, std::size_t count) {
  // Equal merits are common among forests; the order of the space must not decide between them.
  for (std::size_t i = points.size(); i > 1; --i) std::swap(points[i - 1], points[random_.upto(i - 1)]);
  count = std::min(count, points.size());
  if (!time_.fitted()) {
    points.resize(count);
    return points;
  }
  const std::vector<double> merit = merits(points);
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](std::size_t a, std::size_t b) { return std::pair(-merit[a], a) < std::pair(-merit[b], b); });
  std::vector<std::size_t> best;
  for (std::size_t i = 0; i < count; ++i) best.push_back(points[order[i]]);
  return best;
}

std::vector<std::size_t> Surrogate::propose(std::size_t count) {
  refit();
  return most_promising(candidates(), count);
}

std::vector<std::size_t> Surrogate::rank(std::vector<std::size_t> points) {
  refit();
  std::erase_if(points, [&](std::size_t point) { return is_known(point); });
  const std::size_t count = points.size();
  return most_promising(std::move(points), count);
}

std::vector<double> Surrogate::forest_shares() const {
  std::vector<double> shares(features_.parameters(), 0);
  const std::vector<double> columns = time_.importance();
  std::copy_n(columns.begin(), shares.size(), shares.begin());
  for (std::size_t product = 0; product < features_.products().size(); ++product) {
    const auto [a, b] = features_.products()[product];
    shares[a] += columns[shares.size() + product] / 2;
    shares[b] += columns[shares.size() + product] / 2;
  }
  return shares;
}

std::vector<double> Surrogate::importance() {
  refit();
  if (!time_.fitted()) return std::vector<double>(features_.parameters(), 0);
  return shares_;
}

std::int64_t Surrogate::work(std::size_t points) const {
  constexpr std::int64_t kDepth = 8;
  const std::size_t fitted = stale_ ? costs_.size() : 0;
  auto steps = static_cast<std::int64_t>(fitted + points) * options_.forest.trees * kDepth;
  if (options_.trend > 0) steps += static_cast<std::int64_t>(fitted * features_.terms() * features_.terms());
  if (options_.novelty > 0)
    steps += static_cast<std::int64_t>(points * std::min(passed_.rows(), kMostCompared) * features_.parameters());
  return 1 + steps / 10;
}

}  // namespace harness::script
