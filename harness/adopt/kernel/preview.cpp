#include "harness/adopt/kernel/preview.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

namespace harness::adopt {
namespace {

std::string numbers_of(const std::vector<FormulaPtr>& extents, const Values& values) {
  std::vector<std::string> numbers;
  for (const FormulaPtr& extent : extents) {
    const auto value = evaluate(*extent, values);
    numbers.push_back(value ? fmt::format("{}", *value) : "?");
  }
  return fmt::format("{}", fmt::join(numbers, ","));
}

/// All sizes about `wanted`, or what the file and --size say; nothing: they do not suit the host.
std::optional<Values> point_about(const AdoptedKernel& kernel, std::int64_t about) {
  Values values = kernel.settings(kernel.dtypes.front());
  for (const AdoptedSize& size : kernel.sizes)
    values[size.symbol] = !size.values.empty() ? size.values.front() : std::clamp(about, size.low, size.high);
  std::int64_t threads = 1;
  for (const FormulaPtr& extent : kernel.launch.block)
    threads *= std::clamp<std::int64_t>(evaluate(*extent, values).value_or(1), 1, 2048);
  if (threads > 1024 || !conditions_hold(kernel, values)) return std::nullopt;
  return values;
}

std::string line_at(const AdoptedKernel& kernel, const Values& values) {
  std::string sizes;
  for (const AdoptedSize& size : kernel.sizes)
    sizes += fmt::format("{}{}={}", sizes.empty() ? "" : " ", size.name, values.at(size.symbol));
  std::string text;
  const std::vector<const LaunchShape*> launches = kernel.launches();
  for (const std::size_t i : kernel.launched_at(values)) {
    const LaunchShape* const launch = launches[i];
    if (launches.size() > 1) text += fmt::format("{}launch {}: ", text.empty() ? "" : "; ", i + 1);
    text += fmt::format("grid {}, block {}, {} bytes of shared memory", numbers_of(launch->grid, values),
                        numbers_of(launch->block, values), numbers_of({launch->shared}, values));
  }
  return fmt::format("  {}: {}", sizes.empty() ? "always" : sizes, text);
}

/// "  eps = 1e-05 (usual for its name, no file says it; --set eps=VALUE)": numbers that are the same in every call.
std::vector<std::string> lines_of_numbers(const AdoptedKernel& kernel) {
  std::vector<std::string> lines;
  for (const AdoptedParameter& parameter : kernel.parameters)
    if (parameter.kind == Param::real || parameter.kind == Param::flag || parameter.kind == Param::fixed)
      lines.push_back(fmt::format("  {} = {} ({})", parameter.name, parameter.value, parameter.evidence));
  return lines;
}

}  // namespace

std::string launch_preview(const AdoptedKernel& kernel) {
  const std::string entry = kernel.entry_for(std::string(cuda_type(kernel.dtypes.front())), kernel.first_templates());
  std::string text = fmt::format("{} as in {}", entry, kernel.launch.from);
  std::vector<std::string> lines;
  for (const auto& candidates : {std::array{1000, 200, 48, 8}, std::array{4096, 1024, 256, 32}})
    for (const int about : candidates)
      if (const auto point = point_about(kernel, about)) {
        lines.push_back(line_at(kernel, *point));
        break;
      }
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  for (const std::string& line : lines) text += "\n" + line;
  for (const std::string& line : lines_of_numbers(kernel)) text += "\n" + line;
  return text;
}

}  // namespace harness::adopt
