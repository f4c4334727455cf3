#include "harness/adopt/plugin/workloads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/adopt/plugin/lua_text.h"
#include "harness/core/dtype.h"

namespace harness::adopt {
namespace {

constexpr double kCpuElements = 32768, kGpuElements = 1 << 22, kOddElements = 1 << 20;
constexpr std::int64_t kDomainElements = 1 << 24;

double elements_at(const AdoptedKernel& kernel, const std::vector<std::int64_t>& sizes) {
  Values values = kernel.settings(kernel.dtypes.front());
  for (std::size_t i = 0; i < sizes.size(); ++i) values[kernel.sizes[i].symbol] = sizes[i];
  return static_cast<double>(evaluate(*total_of(kernel), values).value_or(0));
}

std::int64_t fitting(const AdoptedSize& size, double wanted) {
  const double power = std::exp2(std::round(std::log2(std::max(1.0, wanted))));
  const std::int64_t value = static_cast<std::int64_t>(power) / size.step * size.step;
  return std::clamp(value, size.low, size.high / size.step * size.step);
}

bool holds(const AdoptedKernel& kernel, const std::vector<std::int64_t>& sizes) {
  Values values;
  for (std::size_t i = 0; i < sizes.size(); ++i) values[kernel.sizes[i].symbol] = sizes[i];
  return conditions_hold(kernel, values);
}

/// Sizes of equal weight with about so many elements in all arrays together; the host's own numbers where they are
/// given and fit.
std::vector<std::int64_t> sizes_for(const AdoptedKernel& kernel, double elements, bool host) {
  std::vector<std::int64_t> best;
  for (double wanted = 2; wanted <= 1 << 24; wanted *= 2) {
    std::vector<std::int64_t> sizes;
    for (const AdoptedSize& size : kernel.sizes)
      sizes.push_back(host && size.host ? std::clamp(*size.host, size.low, size.high) : fitting(size, wanted));
    if (!best.empty() && elements_at(kernel, sizes) > elements) break;
    if (best.empty() || holds(kernel, sizes)) best = sizes;
  }
  return best;
}

/// No powers of two; the fewer of each, the more sizes there are.
std::vector<std::int64_t> odd_sizes(const AdoptedKernel& kernel) {
  std::vector<std::int64_t> odd;
  for (const std::int64_t wanted : {33, 17, 9, 5, 3}) {
    odd.clear();
    for (const AdoptedSize& size : kernel.sizes)
      odd.push_back(std::clamp(size.step * (size.step == 1 ? wanted : 3), size.low, size.high / size.step * size.step));
    if (elements_at(kernel, odd) <= kOddElements) break;
  }
  return odd;
}

}  // namespace

FormulaPtr total_of(const AdoptedKernel& kernel) {
  FormulaPtr total = number(0);
  for (const AdoptedParameter& parameter : kernel.parameters)
    if (is_array(parameter)) total = formula(Formula::Kind::add, {total, count_of(parameter)});
  return total;
}

std::int64_t highest(const AdoptedSize& size) {
  std::int64_t high = size.high;
  if (high == AdoptedSize{}.high)
    for (const std::int64_t value : size.values) high = std::max(high, value);
  return high / size.step * size.step;
}

std::int64_t domain_elements(const AdoptedKernel& kernel) {
  std::size_t given = 0;
  for (const AdoptedSize& size : kernel.sizes) given = std::max(given, size.values.size());
  double most = kDomainElements;
  for (std::size_t i = 0; i < given; ++i) {
    std::vector<std::int64_t> sizes;
    for (const AdoptedSize& size : kernel.sizes)
      sizes.push_back(size.values.empty() ? size.low : size.values[std::min(i, size.values.size() - 1)]);
    most = std::max(most, elements_at(kernel, sizes));
  }
  return static_cast<std::int64_t>(most);
}

std::vector<Workload> workloads_of(const AdoptedKernel& kernel) {
  std::size_t given = 0;
  for (const AdoptedSize& size : kernel.sizes) given = std::max(given, size.values.size());
  const std::vector<std::int64_t> cpu = sizes_for(kernel, kCpuElements, false);
  std::vector<std::int64_t> gpu = sizes_for(kernel, kGpuElements, true);  // the host's own, unless they are too many
  if (elements_at(kernel, gpu) > static_cast<double>(kDomainElements)) gpu = sizes_for(kernel, kGpuElements, false);
  std::vector<Workload> all;
  for (std::size_t i = 0; i < given; ++i) {
    Workload workload;
    for (std::size_t s = 0; s < kernel.sizes.size(); ++s) {
      const std::vector<std::int64_t>& values = kernel.sizes[s].values;
      workload.sizes.push_back(values.empty() ? cpu[s] : values[std::min(i, values.size() - 1)]);
    }
    if (elements_at(kernel, workload.sizes) > 1 << 20) workload.devices = "cuda";
    all.push_back(std::move(workload));
  }
  const auto here = [](const Workload& workload) { return workload.devices.empty(); };
  if (std::none_of(all.begin(), all.end(), here)) all.push_back({cpu, "default", "cpu"});
  if (given == 0 && !kernel.sizes.empty()) {
    if (elements_at(kernel, gpu) <= static_cast<double>(kDomainElements) && gpu != cpu)
      all.push_back({gpu, "default", "cuda"});
    const std::vector<std::int64_t> odd = odd_sizes(kernel);
    if (odd != cpu && holds(kernel, odd)) all.push_back({odd, "small", ""});
  }
  const auto timed_there = [](const Workload& workload) {
    return workload.sets == "default" && workload.devices != "cpu";
  };
  if (std::none_of(all.begin(), all.end(), timed_there)) all.front().devices.clear();  // some machine must time it
  return all;
}

std::string workload_name(const AdoptedKernel& kernel, const Workload& workload, Dtype dtype) {
  std::string name;
  for (std::size_t i = 0; i < kernel.sizes.size(); ++i)
    name += fmt::format("{}{}{}", name.empty() ? "" : "_", kernel.sizes[i].name, workload.sizes[i]);
  if (name.empty()) name = "only";
  if (!kernel.dtype_parameter.empty()) name += fmt::format("_{}", harness::name(dtype));
  return name;
}

std::vector<TimedPoint> timed_points(const AdoptedKernel& kernel) {
  std::vector<TimedPoint> points;
  for (const Workload& workload : workloads_of(kernel)) {
    if (!workload.devices.empty() && workload.devices != "cpu") continue;
    TimedPoint point{workload_name(kernel, workload, kernel.dtypes.front()), {}, kernel.dtypes.front()};
    for (std::size_t i = 0; i < kernel.sizes.size(); ++i) point.sizes[kernel.sizes[i].symbol] = workload.sizes[i];
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace harness::adopt
