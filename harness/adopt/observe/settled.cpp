#include "harness/adopt/observe/settled.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "harness/adopt/observe/attempt.h"
#include "harness/adopt/observe/points.h"
#include "harness/adopt/observe/steps.h"

namespace harness::adopt {
std::set<std::string> used_by_arrays(const AdoptedKernel& kernel) {
  std::set<std::string> used;
  for (const AdoptedParameter& parameter : kernel.parameters) {
    for (const FormulaPtr& extent : parameter.shape) used.merge(symbols_of(*extent));
    for (const FormulaPtr& stride : parameter.strides) used.merge(symbols_of(*stride));
  }
  return used;
}

void keep_rows_apart(AdoptedKernel& kernel) {
  const auto is_distance = [](std::string name) {
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name.starts_with("ld") || name.find("pitch") != std::string::npos ||
           name.find("stride") != std::string::npos;
  };
  for (const AdoptedParameter& parameter : kernel.parameters) {
    if (!is_array(parameter) || parameter.answered || parameter.strides.size() < 2) continue;
    const FormulaPtr &columns = parameter.shape.back(), &apart = parameter.strides[parameter.strides.size() - 2];
    if (apart->kind != Op::symbol || columns->kind == Op::number) continue;
    if (parameter.role == "input" && !is_distance(apart->symbol)) continue;
    const FormulaPtr fits = formula(Op::le, {columns, apart});
    if (std::ranges::none_of(kernel.conditions,
                             [&](const Condition& condition) { return equal(*condition.formula, *fits); }))
      kernel.conditions.push_back({fits, fmt::format("rows of '{}' do not overlap", parameter.name)});
  }
}

void settle_grid(const Observing& observing) {
  AdoptedKernel& kernel = observing.kernel();
  if (kernel.written_grid.empty()) return;
  AdoptedKernel other = kernel;
  bool changed = false;
  for (auto& [name, values] : other.tuned) {
    if (other.bound.at(name) != "launch" || values.size() < 2) continue;
    values = {values[1]};
    changed = true;
  }
  if (!changed) return;
  reach_beyond(other, tiles_of(kernel));
  const std::vector<Values> points = points_of(other, 4, 23);
  const auto holds = [&] { return Attempt(observing.with_kernel(other)).holds_at(points); };
  if (holds()) return;
  other.launch.grid = kernel.written_grid;
  if (!holds()) return;
  kernel.launch.grid = kernel.written_grid;
  kernel.launch.from += ", and each block has as many elements as before";
}

namespace {

/// Symbols that say how long an array is, how far its values go, or how large a launch is.
std::set<std::string> used_symbols(const AdoptedKernel& kernel) {
  std::set<std::string> used = used_by_arrays(kernel);
  used.merge(symbols_of_launches(kernel));
  for (const AdoptedParameter& parameter : kernel.parameters)
    if (parameter.below) used.merge(symbols_of(*parameter.below));
  for (const Condition& condition : kernel.conditions) used.merge(symbols_of(*condition.formula));
  return used;
}

}  // namespace

void limit_counts(AdoptedKernel& kernel, Seen& seen) {
  constexpr std::int64_t kMostTurns = 64;
  const std::set<std::string> used = used_symbols(kernel);
  const bool writes = std::ranges::any_of(kernel.parameters, [](const AdoptedParameter& parameter) {
    return parameter.role == "output" || parameter.role == "inout";
  });
  for (AdoptedSize& size : kernel.sizes) {
    if (used.contains(size.symbol) || !size.values.empty()) continue;
    const bool counts = kernel.looped.contains(size.symbol) || kernel.unread.contains(size.symbol);
    if (writes && !counts && !size.host)
      seen.questions.push_back(
          {fmt::format("--set {}=VALUE, or --size {}=VALUES where it varies", size.name, size.name),
           fmt::format("no array and no launch depends on '{}', so it may be a mode, a flag or a limit", size.name)});
    if (size.high <= kMostTurns) continue;
    size.high = std::max(kMostTurns, size.low);
    size.limited = true;
    size.evidence += fmt::format("; no array depends on it: up to {}, or --size {}=VALUES", size.high, size.name);
  }
}

namespace {

/// A parameter that follows from what no array and no launch depends on is a size of its own: of
/// `steps = rows - t - 1` nobody sees the rows. False: it stands in a launch, too.
bool release_followers(AdoptedKernel& kernel, const std::string& symbol) {
  const std::set<std::string> in_launches = symbols_of_launches(kernel);
  if (in_launches.contains(symbol)) return false;
  std::vector<AdoptedParameter*> followers;
  for (AdoptedParameter& parameter : kernel.parameters)
    if (parameter.kind == Param::derived && symbols_of(*parameter.follows).contains(symbol))
      followers.push_back(&parameter);
  if (followers.empty()) return false;
  std::erase_if(kernel.conditions,
                [&](const Condition& condition) { return symbols_of(*condition.formula).contains(symbol); });
  for (AdoptedParameter* const parameter : followers) {
    parameter->kind = Param::size;
    parameter->follows = nullptr;
    parameter->evidence = "the host computes it of what nothing else depends on";
    AdoptedSize size{.name = name_in_workloads(parameter->name), .symbol = parameter->name};
    size.evidence = parameter->evidence;
    kernel.sizes.push_back(std::move(size));
  }
  std::erase_if(kernel.sizes, [&](const AdoptedSize& size) { return size.symbol == symbol; });
  return true;
}

}  // namespace

void freeze_settings(AdoptedKernel& kernel, Seen& seen) {
  const std::set<std::string> used = used_by_arrays(kernel);
  for (const AdoptedSize& size : std::vector<AdoptedSize>(kernel.sizes)) {
    const bool of_kernel =
        std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                    [&](const AdoptedParameter& parameter) { return parameter.name == size.symbol; });
    if (of_kernel || used.contains(size.symbol) || release_followers(kernel, size.symbol)) continue;
    if (size.values.empty() && !size.host) {
      const auto written = kernel.launch.written.find(size.symbol);
      seen.questions.push_back(
          {fmt::format("--set \"{}=EXPR\"", size.name),
           fmt::format("'{}' of the launch ({}) cannot be followed, and no array says what it is{}", size.name,
                       kernel.launch.from,
                       written == kernel.launch.written.end()
                           ? ""
                           : fmt::format("; the host has {} = {}", size.name, written->second))});
      continue;
    }
    const std::int64_t value = !size.values.empty() ? size.values.front() : *size.host;
    set_size(kernel, size.symbol, number(static_cast<double>(value)));
    seen.notes.push_back(fmt::format("{} = {}: no array depends on it", size.name, value));
  }
}

}  // namespace harness::adopt
