#include "harness/report/format.h"

#include <fmt/format.h>

#include <cmath>

namespace harness::report {

std::string nanoseconds(std::optional<double> ns) {
  if (!ns) return "-";
  if (*ns < 1e3) return fmt::format("{:.0f} ns", *ns);
  if (*ns < 1e6) return fmt::format("{:.2f} us", *ns / 1e3);
  if (*ns < 1e9) return fmt::format("{:.2f} ms", *ns / 1e6);
  return fmt::format("{:.2f} s", *ns / 1e9);
}

std::string seconds(double s) {
  const auto whole = static_cast<long>(std::lround(s));
  if (whole < 100) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
}

std::string ratio(std::optional<double> value) {
  if (!value) return "-";
  return *value >= 99.95 ? fmt::format("{:.0f}x", *value) : fmt::format("{:.3g}x", *value);
}

std::string missing_best(bool tried) {
  return tried ? "none passed" : "not tried";
}

std::string score_coverage(std::size_t tried, std::size_t workloads) {
  if (tried >= workloads) return "";
  return fmt::format("; {} of {} workloads were tried, the others count as 1x", tried, workloads);
}

std::string share(std::optional<double> value) {
  return value ? fmt::format("{:.3g} %", *value * 100) : "-";
}

std::string money(std::optional<double> usd) {
  return usd ? fmt::format("${:.2f}", *usd) : "unknown";
}

}  // namespace harness::report
