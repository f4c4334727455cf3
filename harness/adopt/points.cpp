#include "harness/adopt/points.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "harness/adopt/observed_launch.h"

namespace harness::adopt {
namespace {

constexpr double kMostElements = 5000;   // of the product of all sizes: runs of an instrumented build take a while
constexpr double kMostOfSteps = 5e6;     // the same where sizes are multiples of large steps
constexpr std::int64_t kMostBlocks = 3;  // of a size that only the grid has, where it has several
constexpr double kShrinks = 0.99, kLeastShrunk = 0.002;

}  // namespace

bool counts_blocks(const AdoptedKernel& kernel, const AdoptedSize& size) {
  if (std::ranges::find(kernel.parameters, size.symbol, &AdoptedParameter::name) != kernel.parameters.end())
    return false;
  bool whole = false, elsewhere = false;
  for (const LaunchShape* launch : kernel.launches()) {
    for (const FormulaPtr& each : launch->grid)
      (each->kind == Op::symbol && each->symbol == size.symbol ? whole : elsewhere) |=
          symbols_of(*each).contains(size.symbol);
    for (const FormulaPtr& each : launch->block) elsewhere |= symbols_of(*each).contains(size.symbol);
    elsewhere |= symbols_of(*launch->shared).contains(size.symbol);
  }
  return whole && !elsewhere;
}

std::vector<Values> points_of(const AdoptedKernel& kernel, std::size_t count, unsigned seed) {
  std::vector<Values> points;
  if (kernel.sizes.empty()) return {Values{}};
  std::mt19937_64 random(seed);
  double shrunk = 1;  // sizes are drawn from less where launches would be too large
  for (int attempt = 0; attempt < 4000 && points.size() < count; ++attempt) {
    Values point;
    double product = 1;
    const double fair = std::pow(kMostElements, 1.0 / static_cast<double>(kernel.sizes.size()));
    const auto of_grid = [&](const AdoptedSize& size) {
      return std::none_of(kernel.parameters.begin(), kernel.parameters.end(),
                          [&](const AdoptedParameter& each) { return each.name == size.symbol; });
    };
    const bool many = std::count_if(kernel.sizes.begin(), kernel.sizes.end(), of_grid) > 1;
    for (const AdoptedSize& size : kernel.sizes) {
      const auto most = many && of_grid(size)
                            ? kMostBlocks
                            : std::max({std::int64_t{3}, static_cast<std::int64_t>(fair * 1.5 * shrunk) / size.step,
                                        size.reach / size.step});
      std::int64_t value = size.step * static_cast<std::int64_t>(1 + random() % static_cast<std::uint64_t>(most));
      value = std::clamp(value, size.low, std::max(size.low, size.high / size.step * size.step));
      point[size.symbol] = value;
      product *= static_cast<double>(value);
    }
    const bool distinct = std::all_of(point.begin(), point.end(), [&](const auto& a) {
      return std::count_if(point.begin(), point.end(), [&](const auto& b) { return a.second == b.second; }) == 1;
    });
    double most = 1;
    for (const AdoptedSize& size : kernel.sizes) most *= static_cast<double>(std::max(3 * size.step, size.reach));
    if (product > std::min(std::max(kMostElements * 2, most), kMostOfSteps) || (!distinct && attempt < 2000)) continue;
    if (!conditions_hold(kernel, point)) continue;
    // Where no sizes are that small, those that are least too large.
    const double allowed = kernel.most_threads * std::exp2(std::max(0, attempt - 2000) / 200);
    if (threads_at(kernel, point) > allowed) {
      shrunk = std::max(kLeastShrunk, shrunk * kShrinks);
      continue;
    }
    if (std::find(points.begin(), points.end(), point) == points.end() || attempt > 3000) points.push_back(point);
  }
  return points;
}

std::vector<Values> corners_of(const AdoptedKernel& kernel, const AdoptedSize& size) {
  constexpr std::int64_t kFarAbove = 160;
  std::vector<Values> points;
  const auto add = [&](std::int64_t count, const std::string& far) {
    Values point;
    for (const AdoptedSize& each : kernel.sizes) point[each.symbol] = std::max(each.low, each.step * 2);
    if (!far.empty()) point[far] = std::max(point[far], kFarAbove / kernel.size(far)->step * kernel.size(far)->step);
    point[size.symbol] = size.low + size.step * count;
    const bool inside =
        std::ranges::all_of(kernel.sizes, [&](const AdoptedSize& each) { return point.at(each.symbol) <= each.high; });
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
  for (const FormulaPtr& each : grids) {
    const bool quotient = each->kind == Op::cdiv || each->kind == Op::divide;
    if (!quotient || each->operands[0]->kind != Op::symbol) continue;
    const auto tile = evaluate(*each->operands[1], settings);
    if (tile && *tile > 1 && *tile <= 1024) tiles[each->operands[0]->symbol] = *tile;
  }
  return tiles;
}

}  // namespace harness::adopt
