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

/// Sums over the leaves of all trees that a row falls into.
struct Leaves {
  double sum = 0, squares = 0, within = 0;
  void add(double mean, double variance) {
    sum += mean;
    squares += mean * mean;
    within += variance;
  }
  Estimate estimate(double trees) const {
    const double mean = sum / trees;
    return {mean, std::sqrt(std::max(0.0, squares / trees - mean * mean) + within / trees)};
  }
};

/// Cells of a column, one after the other.
std::vector<float> transposed(const Matrix& rows) {
  const std::size_t count = rows.rows();
  std::vector<float> columns(rows.cells.size());
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t f = 0; f < rows.width; ++f) columns[f * count + i] = rows.row(i)[f];
  return columns;
}

/// Puts the rows whose value is at most `cut` before the others, and returns how many they are. No branch: which way a
/// row goes cannot be foreseen. `above` has room for all of them.
std::size_t part(std::span<std::uint32_t> rows, const float* values, float cut, std::vector<std::uint32_t>& above) {
  std::size_t low = 0, high = 0;
  for (const std::uint32_t i : rows) {
    rows[low] = above[high] = i;
    const std::size_t is_low = values[i] <= cut ? 1 : 0;
    low += is_low;
    high += 1 - is_low;
  }
  std::copy_n(above.begin(), high, rows.begin() + static_cast<std::ptrdiff_t>(low));
  return low;
}

}  // namespace

void Forest::fit(const Matrix& rows, std::span<const double> targets, const ForestOptions& options, Random& random) {
  options_ = options;
  random_ = &random;
  nodes_.clear();
  roots_.clear();
  rows_ = rows.rows();
  width_ = rows.width;
  removed_.assign(width_, 0);
  columns_ = transposed(rows);
  std::vector<std::uint32_t> by_target(rows_);
  std::iota(by_target.begin(), by_target.end(), 0);
  if (rows_ > options.most_rows)
    std::ranges::sort(by_target, {}, [&](std::uint32_t i) { return std::pair(targets[i], i); });
  for (int tree = 0; tree < options.trees; ++tree) {
    std::vector<std::uint32_t> seen = rows_of_tree(by_target);
    roots_.push_back(add_leaf());
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

std::uint32_t Forest::add_leaf() {
  const auto place = static_cast<std::uint32_t>(nodes_.size());
  nodes_.emplace_back().below = place;
  return place;
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
  const std::uint32_t below = add_leaf();
  add_leaf();
  nodes_[node].cut = cut.at;
  nodes_[node].feature = static_cast<std::uint32_t>(cut.feature);
  nodes_[node].below = below;
  grow(targets, here.first(count), below);
  grow(targets, here.subspan(count), below + 1);
}

Estimate Forest::estimate(const float* row) const {
  Leaves leaves;
  for (const std::uint32_t root : roots_) {
    std::uint32_t at = root;
    for (std::uint32_t next = nodes_[at].next(row); next != at; next = nodes_[at].next(row)) at = next;
    leaves.add(nodes_[at].mean, nodes_[at].variance);
  }
  return leaves.estimate(static_cast<double>(roots_.size()));
}

// All rows go down a tree together: each node parts those that came to it, so that nothing is looked at but one column
// of theirs, in order. Row by row and one tree after the other, sums are made in the order of estimate().
std::vector<Estimate> Forest::estimates(const Matrix& rows) const {
  const std::size_t count = rows.rows();
  const std::vector<float> columns = transposed(rows);
  std::vector<Leaves> leaves(count);
  std::vector<std::uint32_t> here(count), above(count);
  std::iota(here.begin(), here.end(), 0);
  struct Waiting {
    std::uint32_t node;
    std::span<std::uint32_t> here;
  };
  std::vector<Waiting> waiting;
  for (const std::uint32_t root : roots_) {
    waiting.push_back({root, here});
    while (!waiting.empty()) {
      const auto [at, came] = waiting.back();
      waiting.pop_back();
      const Node& node = nodes_[at];
      if (node.below == at) {
        for (const std::uint32_t i : came) leaves[i].add(node.mean, node.variance);
        continue;
      }
      const std::size_t below = part(came, columns.data() + node.feature * count, node.cut, above);
      if (below < came.size()) waiting.push_back({node.below + 1, came.subspan(below)});
      if (below > 0) waiting.push_back({node.below, came.first(below)});
    }
  }
  std::vector<Estimate> estimates;
  estimates.reserve(count);
  for (const Leaves& each : leaves) estimates.push_back(each.estimate(static_cast<double>(roots_.size())));
  return estimates;
}

std::vector<double> Forest::importance() const {
  std::vector<double> shares = removed_;
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share = all > 0 ? share / all : 0;
  return shares;
}

}  // namespace harness::script
