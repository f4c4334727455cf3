#include "harness/adopt/kernel/preview.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "harness/adopt/kernel/point.h"

namespace harness::adopt {
namespace {

std::string numbers_text(const KernelPoint::Numbers& extents) {
  std::string text;
  for (const auto& extent : extents) text += (text.empty() ? "" : ",") + (extent ? fmt::format("{}", *extent) : "?");
  return text;
}

/// All sizes about `about`, or what the file and --size say; nothing: they do not suit the host.
std::optional<KernelPoint> point_about(const AdoptedKernel& kernel, std::int64_t about) {
  Values sizes;
  for (const AdoptedSize& size : kernel.sizes)
    sizes[size.symbol] = !size.values.empty() ? size.values.front() : std::clamp(about, size.low, size.high);
  KernelPoint point = point_of(kernel, sizes);
  std::int64_t threads = 1;
  for (const auto& extent : point.launches.front().block)
    threads *= std::clamp<std::int64_t>(extent.value_or(1), 1, 2048);
  if (threads > 1024 || !conditions_hold(kernel, point.values)) return std::nullopt;
  return point;
}

std::string line_at(const AdoptedKernel& kernel, const KernelPoint& point) {
  std::string sizes, text;
  for (const AdoptedSize& size : kernel.sizes)
    sizes += fmt::format("{}{}={}", sizes.empty() ? "" : " ", size.name, point.values.at(size.symbol));
  for (std::size_t i = 0; i < point.launches.size(); ++i) {
    const KernelPoint::OfLaunch& launch = point.launches[i];
    if (!launch.reached) continue;
    if (point.launches.size() > 1) text += fmt::format("{}launch {}: ", text.empty() ? "" : "; ", i + 1);
    text += fmt::format("grid {}, block {}, {} bytes of shared memory", numbers_text(launch.grid),
                        numbers_text(launch.block), numbers_text({launch.shared}));
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
  constexpr std::size_t kMostNumbers = 12;
  const std::vector<std::string> numbers = lines_of_numbers(kernel);
  for (std::size_t i = 0; i < std::min(numbers.size(), kMostNumbers); ++i) text += "\n" + numbers[i];
  if (numbers.size() > kMostNumbers) text += fmt::format("\n  and {} numbers more", numbers.size() - kMostNumbers);
  return text;
}

}  // namespace harness::adopt
