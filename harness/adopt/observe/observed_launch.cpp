#include "harness/adopt/observe/observed_launch.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "harness/core/dtype.h"

namespace harness::adopt {
namespace {

constexpr std::int64_t kArenaBytes = 4 << 20, kMostArenaBytes = 1 << 30;

std::uint64_t scrambled(std::uint64_t state) {
  state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
  state = (state ^ (state >> 27)) * 0x94d049bb133111eb;
  return state ^ (state >> 31);
}

/// Whole numbers of a fill: from the first to the last but one.
struct Whole {
  std::int64_t from = 0, below = 2;
  auto operator<=>(const Whole&) const = default;
};

/// Values of both signs about 1, of any type; whole numbers as `whole` says, the greatest among them.
double fill_value(unsigned fill, std::uint64_t stream, std::uint64_t index, bool floating, const Whole& whole) {
  const std::uint64_t bits =
      scrambled((static_cast<std::uint64_t>(fill) << 56) ^ (stream << 40) ^ (index + 1) * 0x9e3779b97f4a7c15);
  if (!floating) {
    if (index == 0) return static_cast<double>(whole.below - 1);
    const auto range = static_cast<std::uint64_t>(std::max<std::int64_t>(1, whole.below - whole.from));
    return static_cast<double>(whole.from + static_cast<std::int64_t>(bits % range));
  }
  const double u = static_cast<double>(bits >> 11) * 0x1p-53;
  if (fill % 3 == 1) return 1 + static_cast<double>(index % 7);  // small, ascending
  return 3 * (u - 0.5);
}

std::shared_ptr<const std::vector<std::byte>> content(Dtype dtype, bool wide, unsigned fill, std::uint64_t stream,
                                                      const Whole& whole) {
  const Dtype stored = wide && is_floating(dtype) ? Dtype::f64 : dtype;
  const int bytes = storage_bytes(stored), own = storage_bytes(dtype);
  const std::int64_t count = kContentBytes / own;  // as many wide as stored: they are compared
  auto buffer = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(count * bytes));
  std::byte unit[8] = {};
  for (std::int64_t i = 0; i < count; ++i) {
    double value = fill_value(fill, stream, static_cast<std::uint64_t>(i), is_floating(dtype), whole);
    if (wide && is_floating(dtype)) {  // the same numbers as they are stored
      store_rounded(dtype, unit, value);
      value = load_as_double(dtype, unit);
    }
    store_rounded(stored, buffer->data() + i * bytes, value);
  }
  return buffer;
}

/// Fills are the same from run to run: made once.
std::shared_ptr<const std::vector<std::byte>> kept_content(Dtype dtype, bool wide, unsigned fill, std::uint64_t stream,
                                                           const Whole& whole) {
  static std::map<std::tuple<Dtype, bool, unsigned, std::uint64_t, Whole>,
                  std::shared_ptr<const std::vector<std::byte>>>
      kept;
  if (kept.size() > 200) kept.clear();
  auto& content_of_fill = kept[{dtype, wide, fill, stream, whole}];
  if (!content_of_fill) content_of_fill = content(dtype, wide, fill, stream, whole);
  return content_of_fill;
}

std::optional<Dim3> dimensions(const KernelPoint::Numbers& extents) {
  std::uint32_t numbers[3] = {1, 1, 1};
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (!extents[i] || *extents[i] < 1 || *extents[i] > INT32_MAX) return std::nullopt;
    numbers[i] = static_cast<std::uint32_t>(*extents[i]);
  }
  return Dim3{numbers[0], numbers[1], numbers[2]};
}

/// A launch that cannot be is refused by the session, with its own words.
Launch shaped(const KernelPoint::OfLaunch& at, bool wide) {
  Launch launch;
  launch.grid = dimensions(at.grid).value_or(Dim3{0, 1, 1});
  launch.block = dimensions(at.block).value_or(Dim3{0, 1, 1});
  launch.shared = std::min<std::int64_t>(at.shared.value_or(0) * (wide ? 4 : 1), 200 << 10);
  return launch;
}

/// Of a `__constant__` variable, whose extents are numbers.
std::int64_t declared_bytes(const AdoptedParameter& parameter, bool wide) {
  std::int64_t bytes = storage_bytes(wide && is_floating(parameter.dtype) ? Dtype::f64 : parameter.dtype);
  for (const FormulaPtr& extent : parameter.shape) bytes *= static_cast<std::int64_t>(extent->number);
  return bytes;
}

}  // namespace

std::vector<std::string> entries_of(const AdoptedKernel& kernel, const std::string& first) {
  std::vector<std::string> entries;
  for (std::size_t i = 0; i <= kernel.further.size(); ++i) {
    const std::string entry = kernel.entry_of_launch(i, first);
    if (std::find(entries.begin(), entries.end(), entry) == entries.end()) entries.push_back(entry);
  }
  return entries;
}

namespace {

/// The whole numbers that an array begins with. `greatest`: some array of the launch holds the greatest index alone.
Whole whole_of(const AdoptedParameter& parameter, const KernelPoint::OfParameter& at, unsigned fill, bool greatest) {
  if (parameter.held) return {*parameter.held, *parameter.held + 1};
  std::int64_t below = fill == 0 ? 2 : fill == 1 ? 7 : 100;
  if (parameter.dtype == Dtype::b8) below = 2;
  below += parameter.from;
  if (parameter.below) below = std::max<std::int64_t>(1, at.below.value_or(2));
  if (parameter.below && parameter.dtype == Dtype::b8) below = 2;
  const bool floating = is_floating(parameter.dtype);
  Whole whole = floating ? Whole{} : Whole{parameter.from, below};
  if (parameter.greatest) whole.from = below - 1;
  else if (greatest && !floating && !parameter.below) whole = {1, below + 1};  // a count of 0 would end it
  return whole;
}

/// Twice what its shape says at these sizes, once it has one. What no launch touches takes no memory.
std::int64_t arena_bytes(const AdoptedParameter& parameter, const KernelPoint::OfParameter& at) {
  const double bytes = 2.0 * storage_bytes(parameter.dtype) * at.elements;
  const double bytes_of_shape = parameter.shape.empty() ? 0 : std::ceil(bytes / kArenaBytes) * kArenaBytes;
  return static_cast<std::int64_t>(std::clamp<double>(bytes_of_shape, kArenaBytes, kMostArenaBytes));
}

Arena arena_of(const AdoptedParameter& parameter, const KernelPoint::OfParameter& at, unsigned fill,
               std::uint64_t stream, bool wide, const Whole& whole) {
  Arena arena{parameter.name, arena_bytes(parameter, at), nullptr};
  if (wide && is_floating(parameter.dtype))  // as many elements as the original's has
    arena.bytes = arena.bytes / storage_bytes(parameter.dtype) * storage_bytes(Dtype::f64);
  if (!parameter.zeroed) arena.content = kept_content(parameter.dtype, wide, fill, stream, whole);
  if (!is_passed(parameter)) arena.bytes = declared_bytes(parameter, wide);
  return arena;
}

LaunchArgument argument_of(const AdoptedParameter& parameter, const KernelPoint& point, std::size_t i, bool wide) {
  switch (parameter.kind) {
    case Param::size:
      return ScalarArgument{parameter.dtype, point.values.at(parameter.name)};
    case Param::derived:
      return ScalarArgument{parameter.dtype, point.parameters[i].follows.value_or(0)};
    case Param::flag:
      return ScalarArgument{parameter.dtype, parameter.value != 0};
    case Param::real:
      return ScalarArgument{wide ? Dtype::f64 : parameter.dtype, parameter.value};
    case Param::fixed:
      return ScalarArgument{parameter.dtype, static_cast<std::int64_t>(parameter.value)};
    case Param::pointer:
    case Param::scratch:
      break;
  }
  return NamedArgument{parameter.name, 0};
}

}  // namespace

ObservedLaunch launch_at(const AdoptedKernel& kernel, const std::string& entry, const Values& sizes, unsigned fill,
                         bool wide) {
  ObservedLaunch observed;
  observed.constants = constants_of(kernel);
  const KernelPoint point = point_of(kernel, sizes);
  std::vector<std::size_t> launched = point.reached();
  if (launched.empty()) launched = {0};
  Launch& launch = observed.launch;
  launch = shaped(point.launches[launched[0]], wide);
  launch.entry = kernel.entry_of_launch(launched[0], entry);
  const bool greatest = std::ranges::any_of(kernel.parameters, &AdoptedParameter::greatest);
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const AdoptedParameter& parameter = kernel.parameters[i];
    const KernelPoint::OfParameter& at = point.parameters[i];
    if (is_array(parameter))
      observed.arenas.push_back(arena_of(parameter, at, fill, i + 1, wide, whole_of(parameter, at, fill, greatest)));
    if (is_passed(parameter)) launch.args.push_back(argument_of(parameter, point, i, wide));
  }
  for (std::size_t i = 1; i < launched.size(); ++i) {
    Launch next = shaped(point.launches[launched[i]], wide);
    next.entry = kernel.entry_of_launch(launched[i], entry);
    next.args = launch.args;
    observed.further.push_back(std::move(next));
  }
  return observed;
}

}  // namespace harness::adopt
