#include <fmt/format.h>

#include <charconv>

#include "harness/cli/command.h"
#include "harness/core/error.h"
#include "harness/core/suggest.h"

namespace harness {
namespace {

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

double unit_seconds(char unit) {
  return unit == 'h' ? 3600 : unit == 'm' ? 60 : unit == 's' ? 1 : 0;
}

}  // namespace

double parse_duration(const std::string& text) {
  const auto refuse = [&] {
    return bad_input(fmt::format("'{}' is not a duration; write it like 90s, 30m or 1h30m", text));
  };
  double total = 0;
  std::string digits;
  if (const auto plain = parse_number(text)) total = *plain;
  else
    for (char c : text) {
      if ((c >= '0' && c <= '9') || c == '.') digits += c;
      else if (const auto number = parse_number(digits); number && unit_seconds(c) > 0) {
        total += *number * unit_seconds(c);
        digits.clear();
      } else throw refuse();
    }
  if (!digits.empty() || !(total > 0) || total > 1e9) throw refuse();
  return total;
}

Goal parse_goal(const std::string& text) {
  const auto number = text.empty() ? std::nullopt : parse_number(std::string_view(text).substr(0, text.size() - 1));
  if (number && *number > 0 && text.back() == 'x') return {*number, std::nullopt};
  if (number && *number > 0 && *number <= 100 && text.back() == '%') return {std::nullopt, *number / 100};
  throw bad_input(fmt::format("'{}' is not a goal; write 2x (speedup over the baseline) or 90% (of the floor)", text));
}

std::pair<std::string, Value> parse_parameter(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw bad_input(fmt::format("'{}' is not a parameter; write NAME=VALUE", text));
  return {text.substr(0, equals), parse_value(text.substr(equals + 1))};
}

std::vector<std::string> split_commas(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const auto comma = std::min(text.find(',', begin), text.size());
    if (comma > begin) parts.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return parts;
}

DeviceInfo choose_device(const std::string& asked, const std::vector<DeviceInfo>& devices) {
  const std::string wanted = asked == "cuda" ? "cuda:0" : asked;
  std::vector<std::string> known{"auto", "cuda"};
  for (const DeviceInfo& device : devices) {
    known.push_back(device.device);
    if ((wanted == "auto" && device.available) || device.device == wanted) {
      if (device.available) return device;
      throw environment_error(fmt::format(
          "device '{}' is not available: {}", wanted,
          device.missing.empty() ? "it does not answer" : fmt::format("{}", fmt::join(device.missing, "; "))));
    }
  }
  if (wanted.starts_with("cuda:") && wanted.find_first_not_of("0123456789", 5) == std::string::npos &&
      wanted.size() > 5)
    throw environment_error(
        fmt::format("device '{}' is not available: there is no such GPU here; see harness devices", wanted));
  if (wanted == "auto")
    throw environment_error("no device is available: neither a GPU nor a host compiler is found; see harness devices");
  throw bad_input(fmt::format("no device '{}'; did you mean '{}'? (auto, cpu, cuda:N)", asked, nearest(asked, known)));
}

}  // namespace harness
