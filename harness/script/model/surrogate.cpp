#include "harness/script/model/surrogate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace harness::script {
namespace {

constexpr std::size_t kBestToLookAround = 5;
constexpr std::size_t kDrawsUnlisted = 200;
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

}  // namespace

Surrogate::Surrogate(const SearchSpace& space, const Options& options, std::uint64_t seed)
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

void Surrogate::refit() {
  if (!stale_ || costs_.empty() || features_.width() == 0) return;
  stale_ = false;
  if (!times_.empty()) time_.fit(passed_, squashed_times(), options_.forest, random_);
  Forest::Options small = options_.forest;
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

std::vector<double> Surrogate::merits(const std::vector<std::size_t>& points) {
  std::vector<double> merits;
  merits.reserve(points.size());
  const double best = *std::ranges::min_element(times_);
  std::vector<float> row;
  for (const std::size_t point : points) {
    row.clear();
    features_.append(point, row);
    Estimate estimate = time_.estimate(row.data());
    estimate.deviation *= options_.explore;
    double merit = expected_improvement(estimate, best);
    if (pass_.fitted()) merit *= pass_.estimate(row.data()).mean;
    if (cost_.fitted()) merit *= std::exp(-options_.cost_weight * cost_.estimate(row.data()).mean);
    merits.push_back(merit);
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

std::vector<double> Surrogate::importance() {
  refit();
  std::vector<double> shares(features_.parameters(), 0);
  if (!time_.fitted()) return shares;
  const std::vector<double> columns = time_.importance();
  std::copy_n(columns.begin(), shares.size(), shares.begin());
  for (std::size_t product = 0; product < features_.products().size(); ++product) {
    const auto [a, b] = features_.products()[product];
    shares[a] += columns[shares.size() + product] / 2;
    shares[b] += columns[shares.size() + product] / 2;
  }
  return shares;
}

std::int64_t Surrogate::work(std::size_t points) const {
  constexpr std::int64_t kDepth = 8;
  const auto rows = static_cast<std::int64_t>((stale_ ? costs_.size() : 0) + points);
  return 1 + rows * options_.forest.trees * kDepth / 10;
}

}  // namespace harness::script
