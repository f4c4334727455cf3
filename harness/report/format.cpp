#include "harness/report/format.h"

#include <fmt/format.h>

#include <cmath>

namespace harness::report {
namespace {

std::string time_text(double ns) {
  if (ns < 1e3) return fmt::format("{:.0f} ns", ns);
  if (ns < 1e6) return fmt::format("{:.2f} us", ns / 1e3);
  if (ns < 1e9) return fmt::format("{:.2f} ms", ns / 1e6);
  return fmt::format("{:.2f} s", ns / 1e9);
}

std::string rounded_clock(double s) {
  const auto whole = static_cast<long>(std::lround(s));
  if (whole < 100) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
}

std::string fixed(double value, int digits, const char* unit) {
  return fmt::format("{:.{}f}{}", value, digits, unit);
}

std::string ratio_text(double value) {
  return value >= 99.95 ? fmt::format("{:.0f}x", value) : fmt::format("{:.3g}x", value);
}

const char* unit_name(Unit unit) {
  static constexpr const char* kNames[] = {"", "", "", "ns", "s", "usd", "ratio", "share", "change", "per_s"};
  return kNames[static_cast<std::size_t>(unit)];
}

json part_json(const Cell::Part& part) {
  if (const auto* words = std::get_if<std::string>(&part)) return *words;
  const Quantity& number = std::get<Quantity>(part);
  if (number.unit == Unit::count && number.value) return static_cast<std::int64_t>(*number.value);
  if (number.unit <= Unit::rough) return number.value;
  return {{"value", number.value}, {"unit", unit_name(number.unit)}};
}

}  // namespace

std::string text(const Quantity& number) {
  if (!number.value) return number.unit == Unit::usd ? "unknown" : "-";
  const double value = *number.value;
  const bool usual = number.digits < 0;
  switch (number.unit) {
    case Unit::count:
      return fixed(value, 0, "");
    case Unit::number:
      return usual ? fmt::format("{:.6g}", value) : fixed(value, number.digits, "");
    case Unit::rough:
      return fmt::format("{:.3g}", value);
    case Unit::ns:
      return time_text(value);
    case Unit::s:
      return usual ? rounded_clock(value) : fixed(value, number.digits, " s");
    case Unit::usd:
      return fmt::format("${:.2f}", value);
    case Unit::ratio:
      return usual ? ratio_text(value) : fixed(value, number.digits, "x");
    case Unit::share:
      return fmt::format("{:.3g} %", value * 100);
    case Unit::change:
      return fmt::format("{:+.{}f} %", value * 100, usual ? 1 : number.digits);
    case Unit::per_s:
      return fmt::format("{:.4g} G/s", value * 1e-9);
  }
  return "-";
}

std::string text(const Cell& cell) {
  std::string line;
  for (const Cell::Part& part : cell.parts())
    line += std::holds_alternative<std::string>(part) ? std::get<std::string>(part) : text(std::get<Quantity>(part));
  return line;
}

json cell_json(const Cell& cell) {
  if (cell.parts().size() == 1) return part_json(cell.parts().front());
  json parts = json::array();
  for (const Cell::Part& part : cell.parts()) parts.push_back(part_json(part));
  return parts.empty() ? json("") : parts;
}

Cell range(std::optional<double> lo, std::optional<double> hi, Unit unit, int digits) {
  if (!lo || !hi) return Quantity{};
  return Cell::of(Quantity{lo, unit, digits}, " to ", Quantity{hi, unit, digits});
}

Quantity ratio_of(std::optional<double> above, std::optional<double> below) {
  return {above && below ? std::optional(*above / *below) : std::nullopt, Unit::ratio};
}

Cell cell(const json& value) {
  constexpr double kLargestExact = 9e15;  // of whole numbers in a double: seeds are larger
  if (value.is_null()) return Quantity{};
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return Quantity{value.get<double>(), Unit::number};
  if (value.is_number() && std::abs(value.get<double>()) < kLargestExact) return Quantity{value.get<double>()};
  return json_text(value);
}

std::string nanoseconds(std::optional<double> ns) {
  return text(Quantity{ns, Unit::ns});
}
std::string seconds(double s) {
  return text(Quantity{s, Unit::s});
}
std::string ratio(std::optional<double> value) {
  return text(Quantity{value, Unit::ratio});
}
std::string share(std::optional<double> value) {
  return text(Quantity{value, Unit::share});
}
std::string money(std::optional<double> usd) {
  return text(Quantity{usd, Unit::usd});
}

std::string dash_if_empty(const std::string& text) {
  return text.empty() ? "-" : text;
}

std::string missing_best(bool tried) {
  return tried ? "none passed" : "not tried";
}

std::string score_coverage(std::size_t tried, std::size_t workloads) {
  if (tried >= workloads) return "";
  return fmt::format("; {} of {} workloads were tried, the others count as 1x", tried, workloads);
}

}  // namespace harness::report
