#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "harness/cli/rooms.h"

namespace harness {

/// What every command shares once the line is parsed.
struct Shell {
  const Rooms& rooms;
  std::vector<std::string> more_kernels, more_strategies;  // --kernels DIR, --strategies DIR
  std::string db;                                          // --db FILE; "" : the default store
  std::string policy = "refuse";                           // --policy
  bool trust_source = false;                               // --trust-source
  bool no_preflight = false;                               // --no-preflight

  Places places() const;
  std::string store_path() const;
};

/// A command adds its arguments to `app` and sets `action`, which returns the exit status.
struct Command {
  const char* name;
  const char* summary;
  void (*define)(CLI::App& app, Shell& shell, std::function<int()>& action);
  std::vector<const char*> examples = {};  // whole lines, for help and the man page
};
/// Puts them below a command's help.
void add_examples(CLI::App& app, const Command& command);

const std::vector<Command>& commands();  // in the order of --help

// Options that several commands have, worded once.
void add_db_option(CLI::App& app, Shell& shell);
void add_plugin_options(CLI::App& app, Shell& shell);
void add_gate_options(CLI::App& app, Shell& shell);

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
  std::string gpu;        // --for: predicted for this one (core/gpu_model.h); "": for the first model
  bool emulated = false;  // --emulated: the emulation's own
};
/// The same, predicting a GPU's times where the device is an emulation. `--for` and `--emulated` exclude each other,
/// and so do --emulated and a device such as cpu:H200.
DeviceInfo choose_device(const std::string& asked, const AskedTimes& times, const std::vector<DeviceInfo>& devices);
/// The GPU whose times an emulation predicts then; "": it has its own.
std::string predicted_for(const AskedTimes& times);
void add_times_options(CLI::App& app, AskedTimes& times);

/// Runs the program; the exit status of CLI.md.
int run_command_line(int argc, char** argv, const Rooms& rooms);

}  // namespace harness
