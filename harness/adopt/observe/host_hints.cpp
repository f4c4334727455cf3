#include "harness/adopt/observe/host_hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/core/dtype.h"

namespace harness::adopt {
namespace {

bool is_of_grid_alone(const AdoptedKernel& kernel, const AdoptedSize& size) {
  if (std::ranges::find(kernel.parameters, size.symbol, &AdoptedParameter::name) != kernel.parameters.end())
    return false;
  const auto speaks_of_it = [&](const FormulaPtr& extent) { return symbols_of(*extent).contains(size.symbol); };
  return std::ranges::none_of(kernel.launches(),
                              [&](const LaunchShape* launch) {
                                return std::ranges::any_of(launch->block, speaks_of_it) || speaks_of_it(launch->shared);
                              }) &&
         std::ranges::none_of(derived_of(kernel), [&](const auto& derived) { return speaks_of_it(derived.second); });
}

/// Does the kernel read from its grid (gridDim.y) what it is not told of a size?
/// Does the kernel read from its grid (gridDim.y) what it is not told of a size?
bool reads_from_grid(const AdoptedKernel& kernel, const std::string& text, const std::string& symbol) {
  const auto reads = [&](const std::string& word) { return text.find(word) != std::string::npos; };
  if (!reads("gridDim")) return false;
  for (const LaunchShape* launch : kernel.launches())
    for (std::size_t axis = 0; axis < launch->grid.size(); ++axis)
      if (symbols_of(*launch->grid[axis]).contains(symbol) && reads(fmt::format("gridDim.{}", "xyz"[axis])))
        return true;
  return !reads("gridDim.");  // as a whole
}

/// The extents of the tensor that the host makes for it, one for each size; empty: none, or it does not say.
/// The extents of the tensor that the host makes for it, one for each size; empty: none, or it does not say.
std::vector<FormulaPtr> tensor_of(const AdoptedKernel& kernel, const AdoptedParameter& parameter) {
  const auto tensor = kernel.launch.tensors.find(parameter.name);
  std::vector<FormulaPtr> extents;
  if (tensor == kernel.launch.tensors.end()) return extents;
  std::map<std::string, FormulaPtr> values = derived_of(kernel);
  for (const AdoptedParameter& parameter : kernel.parameters)
    if (parameter.kind == Param::fixed) values[parameter.name] = number(parameter.value);
  for (const FormulaPtr& extent : tensor->second)
    for (const FormulaPtr& factor : factors_of(with(extent, values)))
      if (factor->kind != Op::number || factor->number != 1) extents.push_back(factor);
  return extents;
}

}  // namespace

bool host_says_order(const AdoptedKernel& kernel, const AdoptedParameter& parameter) {
  const auto is_shape = [&](const std::vector<FormulaPtr>& factors) {
    return std::ranges::equal(factors, parameter.shape,
                              [](const FormulaPtr& a, const FormulaPtr& b) { return equal(*a, *b); });
  };
  return is_shape(tensor_of(kernel, parameter)) || std::ranges::any_of(derived_of(kernel), [&](const auto& derived) {
           return is_shape(factors_of(derived.second));
         });
}

Fitted as_tensor(Fitted fitted, const AdoptedKernel& kernel, const AdoptedParameter& parameter,
                 const std::vector<FitPoint>& points) {
  if (!fitted.strides.empty()) return fitted;
  const auto alike = [](const FormulaPtr& a, const FormulaPtr& b) { return equal(*a, *b); };
  for (const auto& [name, follows] : derived_of(kernel))
    if (const auto factors = factors_of(follows); std::ranges::is_permutation(factors, fitted.shape, alike))
      fitted.shape = factors;
  const Fitted tensor{tensor_of(kernel, parameter), {}, 0};
  const bool as_long = !tensor.shape.empty() && std::ranges::all_of(points, [&](const FitPoint& point) {
    return span_of(tensor, point.sizes) == point.elements;
  });
  if (as_long) fitted.shape = tensor.shape;
  return fitted;
}

std::optional<Fitted> allocation_of(const AdoptedKernel& kernel, const AdoptedParameter& parameter,
                                    const std::vector<FitPoint>& touched) {
  const auto bytes = kernel.launch.allocated.find(parameter.name);
  if (bytes == kernel.launch.allocated.end()) return std::nullopt;
  Fitted fitted;
  double units = 1;
  for (const FormulaPtr& extent : factors_of(bytes->second))
    if (extent->kind == Op::number) units *= extent->number;
    else fitted.shape.push_back(extent);
  units /= storage_bytes(parameter.dtype);
  if (units < 1 || units != std::floor(units)) return std::nullopt;
  if (units > 1 || fitted.shape.empty()) fitted.shape.push_back(number(units));
  const bool inside = std::ranges::all_of(
      touched, [&](const FitPoint& point) { return span_of(fitted, point.sizes).value_or(0) >= point.elements; });
  return inside ? std::optional(fitted) : std::nullopt;
}

bool is_told_nothing_of(const AdoptedKernel& kernel, const std::string& source, const std::string& symbol) {
  const AdoptedSize* const size = kernel.size(symbol);
  return size != nullptr && !reads_from_grid(kernel, source, symbol) && is_of_grid_alone(kernel, *size);
}

std::vector<std::string> symbols_in_order(const AdoptedKernel& kernel, const std::string& source) {
  std::vector<std::string> all;
  for (const AdoptedSize& size : kernel.sizes) all.push_back(size.symbol);
  const std::vector<std::string>& order = kernel.launch.order;
  std::ranges::stable_sort(all, {},
                           [&](const std::string& name) { return std::ranges::find(order, name) - order.begin(); });
  std::ranges::stable_partition(all, [&](const std::string& name) { return is_told_nothing_of(kernel, source, name); });
  return all;
}

}  // namespace harness::adopt
