#include "harness/service/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "harness/core/error.h"
#include "harness/core/gpu.h"
#include "harness/core/suggest.h"
#include "harness/service/no_device.h"

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

namespace {

bool is_numbered(const std::string& device) {
  return device.find(':') != std::string::npos;
}

// "cuda:7" where other devices are called cuda:N.
bool is_unknown_number(const std::string& wanted, const std::vector<DeviceInfo>& devices) {
  const std::string kind = device_kind(wanted);
  const std::string number = wanted.substr(std::min(wanted.size(), kind.size() + 1));
  return !number.empty() && number.find_first_not_of("0123456789") == std::string::npos &&
         std::ranges::any_of(devices, [&](const DeviceInfo& device) {
           return is_numbered(device.device) && device_kind(device.device) == kind;
         });
}

// "auto, cpu, cuda:N".
std::string known_devices(const std::vector<DeviceInfo>& devices) {
  std::set<std::string> words;
  for (const DeviceInfo& device : devices)
    words.insert(device_kind(device.device) + (is_numbered(device.device) ? ":N" : ""));
  return fmt::format("auto, {}", fmt::join(words, ", "));
}

}  // namespace

std::string predicted_for(const AskedTimes& times) {
  if (times.emulated) return "";
  return find_gpu(times.gpu).name;
}

DeviceInfo choose_device(const std::string& asked, const AskedTimes& times, const std::vector<DeviceInfo>& devices) {
  const DeviceInfo device = choose_device(asked, devices);
  if (times.emulated && (!times.gpu.empty() || !device.predicts.empty()))
    throw bad_input(fmt::format("--emulated shows a CPU's times, and {} asks for predicted ones; give one of the two",
                                times.gpu.empty() ? "--device " + device.device : "--for " + times.gpu));
  if (!times.gpu.empty()) return predicting(device, find_gpu(times.gpu));
  const bool has_times = !device.emulation || !device.predicts.empty() || times.emulated;
  return has_times ? device : predicting(device, find_gpu(predicted_for(times)));
}

std::optional<DeviceInfo> device_that_counts(const std::vector<DeviceInfo>& devices) {
  const auto counts = std::ranges::find_if(devices, [](const auto& each) { return each.emulation && each.available; });
  return counts == devices.end() ? std::nullopt : std::optional(*counts);
}

DeviceInfo choose_device(const std::string& asked, const std::vector<DeviceInfo>& devices) {
  if (const std::string gpu = predicted_gpu(asked); std::ranges::find(gpus(), gpu, &GpuFacts::name) != gpus().end())
    return predicting(choose_device(device_kind(asked), devices), find_gpu(gpu));
  std::vector<std::string> known{"auto"};
  for (const DeviceInfo& device : devices) {
    const bool first = device.device == asked + ":0";  // "cuda"
    known.push_back(device_kind(device.device));
    known.push_back(device.device);
    if ((asked == "auto" && device.available) || device.device == asked || first) {
      if (device.available) return device;
      throw environment_error(fmt::format(
          "device '{}' is not available: {}", device.device,
          device.missing.empty() ? "it does not answer" : fmt::format("{}", fmt::join(device.missing, "; "))));
    }
  }
  if (is_unknown_number(asked, devices))
    throw environment_error(
        fmt::format("device '{}' is not available: there is no such GPU here; see harness devices", asked));
  if (asked == "auto") throw environment_error(no_device(devices));
  throw bad_input(fmt::format("no device '{}'{} ({})", asked, did_you_mean(asked, known), known_devices(devices)));
}

}  // namespace harness
