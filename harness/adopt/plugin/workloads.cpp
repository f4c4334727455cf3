#include "harness/adopt/plugin/workloads.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "harness/adopt/kernel/point.h"
#include "harness/adopt/plugin/lua_text.h"
#include "harness/core/dtype.h"

namespace harness::adopt {
namespace {

constexpr double kCpuElements = 32768, kOddElements = 1 << 20;
constexpr double kGpuBytes = 128 << 20;  // tens of microseconds of a GPU's memory
constexpr double kDomainBytes = 1ll << 31;
constexpr double kCpuTurns = 1 << 23, kGpuTurns = 1ll << 32;  // of all threads' loops

using SizeList = std::vector<std::int64_t>;  // in the order of the kernel's

/// Chooses sizes of one kernel.
class SizeChooser {
 public:
  explicit SizeChooser(const AdoptedKernel& kernel) : kernel_(kernel), sizes_(kernel.sizes) {
    for (const AdoptedParameter& parameter : kernel.parameters)
      if (is_array(parameter)) greatest_element_ = std::max<double>(greatest_element_, storage_bytes(parameter.dtype));
    for (const AdoptedSize& size : sizes_) {
      std::int64_t high = size.limited ? size.high : domain_end(size);
      for (const std::int64_t value : size.values) high = std::max(high, value);
      highest.push_back(std::max(high / size.step * size.step, size.low));
      answers_ = std::max(answers_, size.values.size());
    }
    most_elements = kDomainBytes / greatest_element_;
    for (std::size_t i = 0; i < answers_; ++i)
      most_elements = std::max(most_elements, elements_at(answered(i, lows())));
  }

  SizeList highest;          // of each size: what was found, and what a person asks for
  double most_elements = 1;  // of all arrays together: so many, and what the sizes that a person asks for have

  /// The sizes that were given, else some for each kind of device; no powers of two among them.
  std::vector<Workload> workloads() const {
    const double fills_gpu = kGpuBytes / greatest_element_;
    const SizeList cpu = sizes_for(kCpuElements, kCpuTurns, false);
    SizeList gpu = sizes_for(fills_gpu, kGpuTurns, true);  // the host's own, unless too many
    if (elements_at(gpu) > most_elements) gpu = sizes_for(fills_gpu, kGpuTurns, false);
    std::vector<Workload> all;
    for (std::size_t i = 0; i < answers_; ++i) {
      const SizeList sizes = answered(i, cpu);
      all.push_back({sizes, "default", elements_at(sizes) > kOddElements ? "cuda" : ""});
    }
    const auto here = [](const Workload& workload) { return workload.devices.empty(); };
    if (std::none_of(all.begin(), all.end(), here)) all.push_back({cpu, "default", "cpu"});
    if (answers_ == 0 && !sizes_.empty()) {
      if (elements_at(gpu) <= most_elements && gpu != cpu) all.push_back({gpu, "default", "cuda"});
      const SizeList odd = odd_sizes();
      if (odd != cpu && holds(odd)) all.push_back({odd, "small", ""});
    }
    add_branches(cpu, all);
    const auto timed_there = [](const Workload& workload) {
      return workload.sets == "default" && workload.devices != "cpu";
    };
    if (std::none_of(all.begin(), all.end(), timed_there)) all.front().devices.clear();  // some machine must time it
    return all;
  }

  Values by_symbol(const SizeList& sizes) const {
    Values values;
    for (std::size_t i = 0; i < sizes.size(); ++i) values[sizes_[i].symbol] = sizes[i];
    return values;
  }

 private:
  KernelPoint point_at(const SizeList& sizes) const { return point_of(kernel_, by_symbol(sizes)); }
  double elements_at(const SizeList& sizes) const { return point_at(sizes).elements; }
  bool holds(const SizeList& sizes) const { return conditions_hold(kernel_, by_symbol(sizes)); }

  SizeList lows() const {
    SizeList low;
    for (const AdoptedSize& size : sizes_) low.push_back(size.low);
    return low;
  }

  /// The sizes that a person asked for in the `i`-th place; of others those of `usual`.
  SizeList answered(std::size_t i, SizeList usual) const {
    for (std::size_t s = 0; s < sizes_.size(); ++s)
      if (const SizeList& values = sizes_[s].values; !values.empty()) usual[s] = values[std::min(i, values.size() - 1)];
    return usual;
  }

  /// May the kernel be launched so, with arrays of no more bytes than the domain has?
  bool may_be_launched(const Values& sizes) const {
    constexpr std::int64_t kMostX = INT32_MAX, kMostYZ = 65535, kMostOfBlock = 1024;
    const KernelPoint point = point_of(kernel_, sizes);
    if (point.elements * greatest_element_ > kDomainBytes) return false;
    for (const KernelPoint::OfLaunch& launch : point.launches) {
      if (!launch.reached) continue;
      std::int64_t threads = 1;
      for (std::size_t i = 0; i < launch.grid.size(); ++i)
        if (launch.grid[i].value_or(1) > (i == 0 ? kMostX : kMostYZ)) return false;
      for (const auto& extent : launch.block) threads *= std::min<std::int64_t>(extent.value_or(1), kMostX);
      if (threads > kMostOfBlock) return false;
    }
    return true;
  }

  /// The end of a size's range that the kernel itself has: its type, its launch's limits, and the bytes of the arrays
  /// where the other sizes are small.
  std::int64_t domain_end(const AdoptedSize& size) const {
    Values sizes = by_symbol(lows());
    std::int64_t works = size.low, fails = std::int64_t{INT32_MAX} + 1;
    while (fails - works > 1) {
      const std::int64_t middle = works + (fails - works) / 2;
      sizes[size.symbol] = middle;
      (may_be_launched(sizes) ? works : fails) = middle;
    }
    return works;
  }

  /// Sizes of equal weight with at most so many elements in all arrays together and so many turns; the host's own
  /// numbers where they are given and fit.
  SizeList sizes_for(double elements, double turns, bool host) const {
    SizeList best;
    for (std::int64_t about = 2; about <= 1 << 30; about *= 2) {
      SizeList sizes;
      for (std::size_t i = 0; i < sizes_.size(); ++i) {
        const std::int64_t wanted = host && sizes_[i].host ? *sizes_[i].host : about;
        sizes.push_back(std::clamp(wanted / sizes_[i].step * sizes_[i].step, sizes_[i].low, highest[i]));
      }
      const KernelPoint point = point_at(sizes);
      if (!best.empty() && (point.elements > elements || point.turns > turns)) break;
      if (best.empty() || holds(sizes)) best = sizes;
    }
    return best;
  }

  /// No powers of two; the fewer of each, the more sizes there are.
  SizeList odd_sizes() const {
    SizeList odd;
    for (const std::int64_t extent : {33, 17, 9, 5, 3}) {
      odd.clear();
      for (std::size_t i = 0; i < sizes_.size(); ++i) {
        const std::int64_t step = sizes_[i].step;
        odd.push_back(std::clamp(step * (step == 1 ? extent : 3), sizes_[i].low, highest[i]));
      }
      if (elements_at(odd) <= kOddElements) break;
    }
    return odd;
  }

  /// Of each launch at least one that has it, where a machine without a GPU evaluates it.
  void add_branches(const SizeList& usual, std::vector<Workload>& all) const {
    const std::size_t launches = kernel_.launches().size();
    for (std::size_t i = 0; i < launches && launches > 1; ++i) {
      const auto has_it = [&](const Workload& workload) {
        return workload.devices != "cuda" && point_at(workload.sizes).launches[i].reached;
      };
      if (std::ranges::any_of(all, has_it)) continue;
      if (const SizeList sizes = sizes_of_branch(i, usual); !sizes.empty()) all.push_back({sizes, "default", "cpu"});
    }
  }

  /// Sizes with which launch `i` is made: a size that its condition asks for is beyond where that turns, and where
  /// arrays become too large, others are small. Empty: none was found.
  SizeList sizes_of_branch(std::size_t i, const SizeList& usual) const {
    constexpr std::int64_t kFarthest = 1 << 14;
    const std::set<std::string> asked_for = symbols_of(*kernel_.launches()[i]->when);
    const auto suits = [&](const SizeList& sizes) { return point_at(sizes).launches[i].reached && holds(sizes); };
    for (std::size_t s = 0; s < sizes_.size(); ++s) {
      const AdoptedSize& size = sizes_[s];
      if (!asked_for.contains(size.symbol)) continue;
      SizeList sizes = usual;
      const auto is_here = [&](std::int64_t value) {
        sizes[s] = value;
        return value <= highest[s] && suits(sizes);
      };
      for (std::int64_t value = size.low; value <= std::min(kFarthest, highest[s]); value += size.step) {
        if (!is_here(value)) continue;
        const std::int64_t further = value + value / 2 / size.step * size.step;
        if (!is_here(further)) sizes[s] = value;
        shrink_others(s, sizes);
        return suits(sizes) ? sizes : SizeList();
      }
    }
    return {};
  }

  /// Until arrays are small enough.
  void shrink_others(std::size_t but, SizeList& sizes) const {
    for (std::size_t i = 0; i < sizes.size(); ++i)
      while (i != but && elements_at(sizes) > kOddElements && sizes[i] > sizes_[i].low)
        sizes[i] = std::max(sizes_[i].low, sizes[i] / 2 / sizes_[i].step * sizes_[i].step);
  }

  const AdoptedKernel& kernel_;
  const std::vector<AdoptedSize>& sizes_;
  double greatest_element_ = 1;  // bytes
  std::size_t answers_ = 0;      // so many sizes a person asks for
};

}  // namespace

Coverage coverage_of(const AdoptedKernel& kernel) {
  const SizeChooser chooser(kernel);
  FormulaPtr total = number(0);
  for (const AdoptedParameter& parameter : kernel.parameters)
    if (is_array(parameter)) total = formula(Formula::Kind::add, {total, count_of(parameter)});
  return {chooser.highest, with(total, first_values(kernel)), static_cast<std::int64_t>(chooser.most_elements),
          chooser.workloads()};
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
  const SizeChooser chooser(kernel);
  std::vector<TimedPoint> points;
  for (const Workload& workload : chooser.workloads()) {
    if (!workload.devices.empty() && workload.devices != "cpu") continue;
    const Dtype dtype = kernel.dtypes.front();
    points.push_back({workload_name(kernel, workload, dtype), chooser.by_symbol(workload.sizes), dtype});
  }
  return points;
}

}  // namespace harness::adopt
