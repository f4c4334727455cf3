#include "harness/adopt/kernel/point.h"

#include <algorithm>

namespace harness::adopt {
namespace {

KernelPoint::Numbers numbers_at(const std::vector<FormulaPtr>& formulas, const Values& values) {
  KernelPoint::Numbers numbers;
  for (const FormulaPtr& formula : formulas) numbers.push_back(evaluate(*formula, values));
  return numbers;
}

/// Of a grid or a block; nothing: one of its extents is none.
std::optional<double> volume_of(const KernelPoint::Numbers& extents) {
  double volume = 1;
  for (const auto& extent : extents) {
    if (!extent || *extent < 1 || *extent > INT32_MAX) return std::nullopt;
    volume *= static_cast<double>(*extent);
  }
  return volume;
}

/// How often a thread turns in loops over sizes, as if one lay in the other. A loop in steps of all threads of a block
/// is shared by them.
double turns_of_thread(const AdoptedKernel& kernel, const Values& values, double block) {
  double turns = 1;
  for (const auto& [symbol, by_block] : kernel.looped)
    if (const auto size = values.find(symbol); size != values.end())
      turns *= std::max(1.0, static_cast<double>(size->second) / (by_block ? block : 1));
  return turns;
}

KernelPoint::OfLaunch launch_with(const AdoptedKernel& kernel, const LaunchShape& shape, const Values& values) {
  KernelPoint::OfLaunch launch;
  launch.reached = is_made(shape, values);
  launch.grid = numbers_at(shape.grid, values);
  launch.block = numbers_at(shape.block, values);
  launch.shared = evaluate(*shape.shared, values);
  const auto blocks = volume_of(launch.grid), block = volume_of(launch.block);
  if (!blocks || !block) return launch;
  launch.threads = *blocks * *block;
  launch.turns = launch.threads * turns_of_thread(kernel, values, *block);
  return launch;
}

KernelPoint::OfParameter parameter_with(const AdoptedParameter& parameter, const Values& values) {
  KernelPoint::OfParameter result;
  result.shape = numbers_at(parameter.shape, values);
  for (const auto& extent : result.shape) result.elements *= static_cast<double>(extent.value_or(0));
  if (parameter.below) result.below = evaluate(*parameter.below, values);
  if (parameter.follows) result.follows = evaluate(*parameter.follows, values);
  return result;
}

}  // namespace

std::vector<std::size_t> KernelPoint::reached() const {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < launches.size(); ++i)
    if (launches[i].reached) places.push_back(i);
  return places;
}

Values all_values(const AdoptedKernel& kernel, const Values& sizes) {
  Values all = kernel.settings(kernel.dtypes.front());
  all.insert(sizes.begin(), sizes.end());
  return all;
}

KernelPoint point_of(const AdoptedKernel& kernel, const Values& sizes) {
  KernelPoint point;
  point.values = all_values(kernel, sizes);
  for (const LaunchShape* shape : kernel.launches()) {
    point.launches.push_back(launch_with(kernel, *shape, point.values));
    const KernelPoint::OfLaunch& launch = point.launches.back();
    if (!launch.reached) continue;
    point.threads += launch.threads;
    point.turns += launch.turns;
  }
  for (const AdoptedParameter& parameter : kernel.parameters) {
    point.parameters.push_back(parameter_with(parameter, point.values));
    if (is_array(parameter)) point.elements += point.parameters.back().elements;
  }
  return point;
}

}  // namespace harness::adopt
