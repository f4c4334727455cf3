#include "harness/script/model/forest.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace harness::script {
namespace {

/// Sums over the rows of a node, from which means and squared deviations follow.
struct Sums {
  double count = 0, sum = 0, squares = 0;
  void add(double value) {
    count += 1;
    sum += value;
    squares += value * value;
  }
  Sums without(const Sums& part) const { return {count - part.count, sum - part.sum, squares - part.squares}; }
  double deviation() const { return count == 0 ? 0 : std::max(0.0, squares - sum * sum / count); }
};

}  // namespace

void Forest::fit(const Matrix& rows, std::span<const double> targets, const Options& options, Random& random) {
  options_ = options;
  random_ = &random;
  nodes_.clear();
  roots_.clear();
  rows_ = rows.rows();
  width_ = rows.width;
  removed_.assign(width_, 0);
  columns_.resize(rows.cells.size());
  for (std::size_t i = 0; i < rows_; ++i)
    for (std::size_t f = 0; f < width_; ++f) columns_[f * rows_ + i] = rows.row(i)[f];
  std::vector<std::uint32_t> by_target(rows_);
  std::iota(by_target.begin(), by_target.end(), 0);
  if (rows_ > options.most_rows)
    std::ranges::sort(by_target, {}, [&](std::uint32_t i) { return std::pair(targets[i], i); });
  for (int tree = 0; tree < options.trees; ++tree) {
    std::vector<std::uint32_t> seen = rows_of_tree(by_target);
    roots_.push_back(static_cast<std::uint32_t>(nodes_.size()));
    nodes_.emplace_back();
    grow(targets, seen, roots_.back());
  }
  random_ = nullptr;
}

std::vector<std::uint32_t> Forest::rows_of_tree(std::span<const std::uint32_t> by_target) const {
  std::vector<std::uint32_t> rows(by_target.begin(), by_target.end());
  if (rows.size() <= options_.most_rows) return rows;
  for (std::size_t i = options_.most_rows / 3; i < options_.most_rows; ++i)
    std::swap(rows[i], rows[i + static_cast<std::size_t>(random_->upto(rows.size() - 1 - i))]);
  rows.resize(options_.most_rows);
  return rows;
}

Forest::Cut Forest::best_cut(std::span<const double> targets, std::span<const std::uint32_t> here) {
  Sums all;
  for (const std::uint32_t i : here) all.add(targets[i]);
  const double spread = all.deviation();
  Cut best;
  if (spread <= 1e-12) return best;
  const int tries = std::max(1, static_cast<int>(options_.features * static_cast<double>(width_)));
  int useful = 0;
  for (int t = 0; t < 4 * tries && useful < tries; ++t) {
    const std::size_t feature = static_cast<std::size_t>(random_->upto(width_ - 1));
    const float* values = column(feature);
    float lowest = values[here[0]], highest = lowest;
    for (const std::uint32_t i : here) {
      lowest = std::min(lowest, values[i]);
      highest = std::max(highest, values[i]);
    }
    if (lowest == highest) continue;
    ++useful;
    const auto at = lowest + static_cast<float>(random_->unit()) * (highest - lowest);
    if (at >= highest) continue;
    Sums below;
    for (const std::uint32_t i : here)
      if (values[i] <= at) below.add(targets[i]);
    const double gain = spread - below.deviation() - all.without(below).deviation();
    const double smaller = std::min(below.count, all.count - below.count);
    if (smaller >= options_.smallest_leaf && gain > best.gain) best = {gain, static_cast<int>(feature), at};
  }
  return best;
}

void Forest::grow(std::span<const double> targets, std::span<std::uint32_t> here, std::uint32_t node) {
  Cut cut;
  if (here.size() >= 2 * static_cast<std::size_t>(options_.smallest_leaf)) cut = best_cut(targets, here);
  if (cut.feature < 0) {
    Sums sums;
    for (const std::uint32_t i : here) sums.add(targets[i]);
    nodes_[node].mean = static_cast<float>(sums.sum / sums.count);
    nodes_[node].variance = static_cast<float>(sums.deviation() / sums.count);
    return;
  }
  removed_[static_cast<std::size_t>(cut.feature)] += cut.gain;
  const float* values = column(static_cast<std::size_t>(cut.feature));
  const auto middle = std::partition(here.begin(), here.end(), [&](std::uint32_t i) { return values[i] <= cut.at; });
  const auto count = static_cast<std::size_t>(middle - here.begin());
  const auto below = static_cast<std::uint32_t>(nodes_.size());
  nodes_.resize(nodes_.size() + 2);
  nodes_[node].cut = cut.at;
  nodes_[node].feature = cut.feature;
  nodes_[node].below = below;
  grow(targets, here.first(count), below);
  grow(targets, here.subspan(count), below + 1);
}

Estimate Forest::estimate(const float* row) const {
  double sum = 0, squares = 0, within = 0;
  for (std::uint32_t at : roots_) {
    const Node* node = &nodes_[at];
    while (node->feature >= 0) node = &nodes_[node->below + (row[node->feature] <= node->cut ? 0 : 1)];
    sum += node->mean;
    squares += static_cast<double>(node->mean) * node->mean;
    within += node->variance;
  }
  const auto trees = static_cast<double>(roots_.size());
  const double mean = sum / trees;
  return {mean, std::sqrt(std::max(0.0, squares / trees - mean * mean) + within / trees)};
}

std::vector<double> Forest::importance() const {
  std::vector<double> shares = removed_;
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share = all > 0 ? share / all : 0;
  return shares;
}

}  // namespace harness::script
