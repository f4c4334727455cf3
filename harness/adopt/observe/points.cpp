#include "harness/adopt/observe/points.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "harness/adopt/observe/observed_launch.h"

namespace harness::adopt {
namespace {

constexpr double kMostElements = 5000;     // of the product of all sizes: runs of an instrumented build take a while
constexpr double kMostOfArrays = 1 << 20;  // elements
constexpr double kMostOfSteps = 5e6;       // the same where sizes are multiples of large steps
constexpr std::int64_t kMostBlocks = 3;    // of a size that only the grid has, where it has several
constexpr double kShrinks = 0.99, kLeastShrunk = 0.002;

}  // namespace

bool counts_blocks(const AdoptedKernel& kernel, const AdoptedSize& size) {
  if (std::ranges::find(kernel.parameters, size.symbol, &AdoptedParameter::name) != kernel.parameters.end())
    return false;
  bool whole = false, elsewhere = false;
  for (const LaunchShape* launch : kernel.launches()) {
    for (const FormulaPtr& extent : launch->grid)
      (extent->kind == Op::symbol && extent->symbol == size.symbol ? whole : elsewhere) |=
          symbols_of(*extent).contains(size.symbol);
    for (const FormulaPtr& extent : launch->block) elsewhere |= symbols_of(*extent).contains(size.symbol);
    elsewhere |= symbols_of(*launch->shared).contains(size.symbol);
  }
  return whole && !elsewhere;
}

namespace {

/// A size that the kernel is not passed.
bool is_of_grid(const AdoptedKernel& kernel, const AdoptedSize& size) {
  return std::ranges::find(kernel.parameters, size.symbol, &AdoptedParameter::name) == kernel.parameters.end();
}

/// Draws sizes; `shrunk`: of what they may be, where launches would be too large.
Values drawn_point(const AdoptedKernel& kernel, std::mt19937_64& random, double shrunk) {
  const double fair = std::pow(kMostElements, 1.0 / static_cast<double>(kernel.sizes.size()));
  const bool many =
      std::ranges::count_if(kernel.sizes, [&](const AdoptedSize& size) { return is_of_grid(kernel, size); }) > 1;
  Values point;
  for (const AdoptedSize& size : kernel.sizes) {
    const auto most = many && is_of_grid(kernel, size)
                          ? kMostBlocks
                          : std::max({std::int64_t{3}, static_cast<std::int64_t>(fair * 1.5 * shrunk) / size.step,
                                      size.reach / size.step});
    const std::int64_t below = size.least > size.step ? size.low - size.step : 0;
    const std::int64_t value =
        below + size.step * static_cast<std::int64_t>(1 + random() % static_cast<std::uint64_t>(most));
    point[size.symbol] = std::clamp(value, size.low, std::max(size.low, size.high / size.step * size.step));
  }
  return point;
}

bool is_distinct(const Values& point) {
  std::set<std::int64_t> values;
  for (const auto& [symbol, value] : point) values.insert(value);
  return values.size() == point.size();
}

/// What the product of all sizes may be.
double most_elements(const AdoptedKernel& kernel) {
  double most = 1;
  for (const AdoptedSize& size : kernel.sizes) most *= static_cast<double>(std::max(3 * size.step, size.reach));
  return std::min(std::max(kMostElements * 2, most), kMostOfSteps);
}

double product_of(const Values& point) {
  double product = 1;
  for (const auto& [symbol, value] : point) product *= static_cast<double>(value);
  return product;
}

}  // namespace

std::vector<Values> points_of(const AdoptedKernel& kernel, std::size_t count, unsigned seed) {
  constexpr int kAttempts = 4000, kForDistinct = 2000, kForNew = 3000;  // sizes that are alike, or drawn again, at last
  if (kernel.sizes.empty()) return {Values{}};
  std::vector<Values> points;
  std::mt19937_64 random(seed);
  double shrunk = 1;
  std::map<std::vector<std::size_t>, std::size_t> of_branch;  // points at which these launches are made
  const std::size_t most_of_branch = kernel.further.empty() ? count : std::max<std::size_t>(2, count / 2);
  for (int attempt = 0; attempt < kAttempts && points.size() < count; ++attempt) {
    const Values point = drawn_point(kernel, random, shrunk);
    if (product_of(point) > most_elements(kernel) || (!is_distinct(point) && attempt < kForDistinct)) continue;
    if (!conditions_hold(kernel, point)) continue;
    // Where no sizes are that small, those that are least too large.
    const double relaxed = std::exp2(std::max(0, attempt - kForDistinct) / 200),
                 allowed = kernel.most_threads * relaxed;
    const KernelPoint at = point_of(kernel, point);
    if (at.threads > allowed || at.elements > kMostOfArrays * relaxed) {
      shrunk = std::max(kLeastShrunk, shrunk * kShrinks);
      continue;
    }
    if (std::find(points.begin(), points.end(), point) != points.end() && attempt <= kForNew) continue;
    std::size_t& others = of_branch[at.reached()];
    if (others >= most_of_branch && attempt < kForDistinct) continue;
    ++others;
    points.push_back(point);
  }
  return points;
}

Values small_point(const AdoptedKernel& kernel) {
  Values point;
  for (const AdoptedSize& size : kernel.sizes) point[size.symbol] = std::max(size.low, size.step * 2);
  return point;
}

std::vector<Values> corners_of(const AdoptedKernel& kernel, const AdoptedSize& size) {
  constexpr std::int64_t kFarAbove = 160;
  std::vector<Values> points;
  const auto add = [&](std::int64_t count, const std::string& far) {
    Values point = small_point(kernel);
    if (!far.empty()) point[far] = std::max(point[far], kFarAbove / kernel.size(far)->step * kernel.size(far)->step);
    point[size.symbol] = size.low + size.step * count;
    const bool inside =
        std::ranges::all_of(kernel.sizes, [&](const AdoptedSize& size) { return point.at(size.symbol) <= size.high; });
    if (inside && conditions_hold(kernel, point)) points.push_back(std::move(point));
  };
  for (const std::int64_t count : {0, 1, 3, 6}) add(count, "");
  for (const AdoptedSize& other : kernel.sizes)
    if (other.symbol != size.symbol && !counts_blocks(kernel, other))
      for (const std::int64_t count : {0, 1}) add(count, other.symbol);
  return points;
}

std::map<std::string, std::int64_t> tiles_of(const AdoptedKernel& kernel) {
  std::map<std::string, std::int64_t> tiles;
  const Values settings = kernel.settings(kernel.dtypes.front());
  std::vector<FormulaPtr> grids;
  for (const LaunchShape* launch : kernel.launches())
    grids.insert(grids.end(), launch->grid.begin(), launch->grid.end());
  for (const FormulaPtr& extent : grids) {
    const bool quotient = extent->kind == Op::cdiv || extent->kind == Op::divide;
    if (!quotient || extent->operands[0]->kind != Op::symbol) continue;
    const auto tile = evaluate(*extent->operands[1], settings);
    if (tile && *tile > 1 && *tile <= 1024) tiles[extent->operands[0]->symbol] = *tile;
  }
  return tiles;
}

}  // namespace harness::adopt
