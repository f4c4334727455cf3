#include "harness/adopt/plugin/workloads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/adopt/plugin/lua_text.h"
#include "harness/core/dtype.h"

namespace harness::adopt {
namespace {

constexpr double kCpuElements = 32768, kOddElements = 1 << 20;
constexpr double kGpuBytes = 128 << 20;  // tens of microseconds of a GPU's memory
constexpr double kDomainBytes = 1ll << 31;
constexpr double kCpuTurns = 1 << 23, kGpuTurns = 1ll << 32;  // of all threads' loops

double elements_at(const AdoptedKernel& kernel, const std::vector<std::int64_t>& sizes) {
  Values values = kernel.settings(kernel.dtypes.front());
  for (std::size_t i = 0; i < sizes.size(); ++i) values[kernel.sizes[i].symbol] = sizes[i];
  return static_cast<double>(evaluate(*total_of(kernel), values).value_or(0));
}

Values point_of(const AdoptedKernel& kernel, const std::vector<std::int64_t>& sizes) {
  Values values = kernel.settings(kernel.dtypes.front());
  for (std::size_t i = 0; i < sizes.size(); ++i) values[kernel.sizes[i].symbol] = sizes[i];
  return values;
}

/// How often loops turn in all threads together, as far as the kernel's text and its launches say.
double turns_at(const AdoptedKernel& kernel, const std::vector<std::int64_t>& sizes) {
  const Values values = point_of(kernel, sizes);
  double most = 0;
  for (const LaunchShape* launch : kernel.launches()) {
    if (!is_made(*launch, values)) continue;
    double threads = 1, block = 1, turns = 1;
    for (const FormulaPtr& extent : launch->block) block *= static_cast<double>(evaluate(*extent, values).value_or(1));
    for (const FormulaPtr& extent : launch->grid) threads *= static_cast<double>(evaluate(*extent, values).value_or(1));
    for (const auto& [symbol, by_block] : kernel.looped)
      if (const auto size = values.find(symbol); size != values.end())
        turns *= std::max(1.0, static_cast<double>(size->second) / (by_block ? block : 1));
    most += threads * block * turns;
  }
  return most;
}

double greatest_element(const AdoptedKernel& kernel) {
  int bytes = 1;
  for (const AdoptedParameter& parameter : kernel.parameters)
    if (is_array(parameter)) bytes = std::max(bytes, storage_bytes(parameter.dtype));
  return bytes;
}

/// May the kernel be launched so, with arrays of no more bytes than the domain has?
bool may_be_launched(const AdoptedKernel& kernel, const Values& values) {
  constexpr std::int64_t kMostX = INT32_MAX, kMostYZ = 65535, kMostOfBlock = 1024;
  const FormulaPtr total = with(total_of(kernel), first_values(kernel));
  if (static_cast<double>(evaluate(*total, values).value_or(0)) * greatest_element(kernel) > kDomainBytes) return false;
  for (const LaunchShape* launch : kernel.launches()) {
    if (!is_made(*launch, values)) continue;
    std::int64_t threads = 1;
    for (std::size_t i = 0; i < launch->grid.size(); ++i)
      if (evaluate(*launch->grid[i], values).value_or(1) > (i == 0 ? kMostX : kMostYZ)) return false;
    for (const FormulaPtr& extent : launch->block)
      threads *= std::min<std::int64_t>(evaluate(*extent, values).value_or(1), kMostX);
    if (threads > kMostOfBlock) return false;
  }
  return true;
}

/// The end of a size's range that the kernel itself has: its type, its launch's limits, and the bytes of the arrays
/// where the other sizes are small.
std::int64_t domain_end(const AdoptedKernel& kernel, const AdoptedSize& size) {
  Values values = kernel.settings(kernel.dtypes.front());
  for (const AdoptedSize& other : kernel.sizes) values[other.symbol] = other.low;
  std::int64_t works = size.low, fails = std::int64_t{INT32_MAX} + 1;
  while (fails - works > 1) {
    const std::int64_t middle = works + (fails - works) / 2;
    values[size.symbol] = middle;
    (may_be_launched(kernel, values) ? works : fails) = middle;
  }
  return works;
}

std::int64_t fitting(const AdoptedKernel& kernel, const AdoptedSize& size, double about) {
  const double power = std::exp2(std::round(std::log2(std::max(1.0, about))));
  const std::int64_t value = static_cast<std::int64_t>(power) / size.step * size.step;
  return std::clamp(value, size.low, highest(kernel, size));
}

bool holds(const AdoptedKernel& kernel, const std::vector<std::int64_t>& sizes) {
  Values values;
  for (std::size_t i = 0; i < sizes.size(); ++i) values[kernel.sizes[i].symbol] = sizes[i];
  return conditions_hold(kernel, values);
}

/// Sizes of equal weight with at most so many elements in all arrays together and so many turns; the host's own numbers
/// where they are given and fit.
std::vector<std::int64_t> sizes_for(const AdoptedKernel& kernel, double elements, double turns, bool host) {
  std::vector<std::int64_t> best;
  for (double about = 2; about <= 1 << 30; about *= 2) {
    std::vector<std::int64_t> sizes;
    for (const AdoptedSize& size : kernel.sizes)
      sizes.push_back(host && size.host
                          ? std::clamp(*size.host / size.step * size.step, size.low, highest(kernel, size))
                          : fitting(kernel, size, about));
    if (!best.empty() && (elements_at(kernel, sizes) > elements || turns_at(kernel, sizes) > turns)) break;
    if (best.empty() || holds(kernel, sizes)) best = sizes;
  }
  return best;
}

/// Sizes with which launch `i` is made: a size that its condition asks for is beyond where that turns, and where arrays
/// become too large, others are small. Empty: none was found.
std::vector<std::int64_t> sizes_of_branch(const AdoptedKernel& kernel, std::size_t i, std::vector<std::int64_t> sizes) {
  constexpr std::int64_t kFarthest = 1 << 14;
  const LaunchShape& launch = *kernel.launches()[i];
  const std::vector<std::int64_t> usual = sizes;
  for (std::size_t s = 0; s < kernel.sizes.size(); ++s) {
    const AdoptedSize& size = kernel.sizes[s];
    if (!symbols_of(*launch.when).contains(size.symbol)) continue;
    sizes = usual;
    const auto is_here = [&](std::int64_t value) {
      sizes[s] = value;
      return value <= highest(kernel, size) && is_made(launch, point_of(kernel, sizes)) && holds(kernel, sizes);
    };
    for (std::int64_t value = size.low; value <= kFarthest; value += size.step) {
      if (!is_here(value)) continue;
      const std::int64_t further = value + value / 2 / size.step * size.step;
      if (!is_here(further)) sizes[s] = value;
      for (std::size_t other = 0; other < sizes.size(); ++other)
        while (other != s && elements_at(kernel, sizes) > kOddElements && sizes[other] > kernel.sizes[other].low)
          sizes[other] =
              std::max(kernel.sizes[other].low, sizes[other] / 2 / kernel.sizes[other].step * kernel.sizes[other].step);
      return is_made(launch, point_of(kernel, sizes)) && holds(kernel, sizes) ? sizes : std::vector<std::int64_t>();
    }
  }
  return {};
}

/// Of each launch at least one that has it, where a machine without a GPU evaluates it.
void add_branches(const AdoptedKernel& kernel, const std::vector<std::int64_t>& usual, std::vector<Workload>& all) {
  const std::size_t launches = kernel.launches().size();
  for (std::size_t i = 0; i < launches && launches > 1; ++i) {
    const auto has_it = [&](const Workload& workload) {
      return workload.devices != "cuda" && is_made(*kernel.launches()[i], point_of(kernel, workload.sizes));
    };
    if (std::ranges::any_of(all, has_it)) continue;
    if (const auto sizes = sizes_of_branch(kernel, i, usual); !sizes.empty()) all.push_back({sizes, "default", "cpu"});
  }
}

/// No powers of two; the fewer of each, the more sizes there are.
std::vector<std::int64_t> odd_sizes(const AdoptedKernel& kernel) {
  std::vector<std::int64_t> odd;
  for (const std::int64_t extent : {33, 17, 9, 5, 3}) {
    odd.clear();
    for (const AdoptedSize& size : kernel.sizes)
      odd.push_back(std::clamp(size.step * (size.step == 1 ? extent : 3), size.low, highest(kernel, size)));
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

std::int64_t highest(const AdoptedKernel& kernel, const AdoptedSize& size) {
  std::int64_t high = size.limited ? size.high : domain_end(kernel, size);
  for (const std::int64_t value : size.values) high = std::max(high, value);  // what a person asks for is widened to
  return std::max(high / size.step * size.step, size.low);
}

std::int64_t domain_elements(const AdoptedKernel& kernel) {
  std::size_t count = 0;
  for (const AdoptedSize& size : kernel.sizes) count = std::max(count, size.values.size());
  double most = kDomainBytes / greatest_element(kernel);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::int64_t> sizes;
    for (const AdoptedSize& size : kernel.sizes)
      sizes.push_back(size.values.empty() ? size.low : size.values[std::min(i, size.values.size() - 1)]);
    most = std::max(most, elements_at(kernel, sizes));
  }
  return static_cast<std::int64_t>(most);
}

std::vector<Workload> workloads_of(const AdoptedKernel& kernel) {
  std::size_t count = 0;
  for (const AdoptedSize& size : kernel.sizes) count = std::max(count, size.values.size());
  const double fills_gpu = kGpuBytes / greatest_element(kernel);
  const std::vector<std::int64_t> cpu = sizes_for(kernel, kCpuElements, kCpuTurns, false);
  std::vector<std::int64_t> gpu = sizes_for(kernel, fills_gpu, kGpuTurns, true);  // the host's own, unless too many
  if (elements_at(kernel, gpu) > static_cast<double>(domain_elements(kernel)))
    gpu = sizes_for(kernel, fills_gpu, kGpuTurns, false);
  std::vector<Workload> all;
  for (std::size_t i = 0; i < count; ++i) {
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
  if (count == 0 && !kernel.sizes.empty()) {
    if (elements_at(kernel, gpu) <= static_cast<double>(domain_elements(kernel)) && gpu != cpu)
      all.push_back({gpu, "default", "cuda"});
    const std::vector<std::int64_t> odd = odd_sizes(kernel);
    if (odd != cpu && holds(kernel, odd)) all.push_back({odd, "small", ""});
  }
  add_branches(kernel, cpu, all);
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
