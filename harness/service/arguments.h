#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/device.h"
#include "harness/core/value.h"

// What people write in options, as values.
namespace harness {

/// "90s", "30m", "1h30m", "2h", "45" (seconds). Throws Error(bad_input).
double parse_duration(const std::string& text);
/// "2x" or "90%". Throws Error(bad_input).
struct Goal {
  std::optional<double> speedup, of_floor;
};
Goal parse_goal(const std::string& text);
/// "NAME=VALUE".
std::pair<std::string, Value> parse_parameter(const std::string& text);
std::vector<std::string> split_commas(const std::string& text);
/// auto: the first GPU that is there, else the cpu. Throws Error: unknown (2), not available (3).
DeviceInfo choose_device(const std::string& asked, const std::vector<DeviceInfo>& devices);
/// The emulation, where it is there: it counts what a candidate does, for a GPU too.
std::optional<DeviceInfo> device_that_counts(const std::vector<DeviceInfo>& devices);
/// What times of an emulated device are, where a command ranks by them.
struct AskedTimes {
  std::string gpu;        // --for: predicted for this one (core/gpu.h); "": for the first model
  bool emulated = false;  // --emulated: the emulation's own
};
/// The same, predicting a GPU's times where the device is an emulation. `--for` and `--emulated` exclude each other,
/// and so do --emulated and a device such as cpu:H200.
DeviceInfo choose_device(const std::string& asked, const AskedTimes& times, const std::vector<DeviceInfo>& devices);
/// The GPU whose times an emulation predicts then; "": it has its own.
std::string predicted_for(const AskedTimes& times);

}  // namespace harness
