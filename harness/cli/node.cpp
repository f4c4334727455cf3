#include "harness/fleet/node.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>

#include "harness/cli/command.h"
#include "harness/core/error.h"
#include "harness/service/fleet_nodes.h"
#include "harness/system/awake_clock.h"
#include "harness/system/driver_release.h"
#include "harness/system/interrupt.h"
#include "harness/system/resource_limits.h"

// `harness node --stdio`: today's evaluator with a loop around it. Its standard output carries messages alone.
namespace harness {
namespace {

struct NodeArguments {
  bool stdio = false;
  std::vector<std::string> devices;
  int programs = 1;
};

std::vector<DeviceInfo> usable_devices(const NodeArguments& arguments, Shell& shell, const Places& places) {
  std::vector<DeviceInfo> usable;
  for (DeviceInfo& device : shell.rooms.devices(places)) {
    const bool wanted =
        arguments.devices.empty() || std::ranges::find(arguments.devices, device.device) != arguments.devices.end();
    if (device.available && wanted) usable.push_back(std::move(device));
  }
  return usable;
}

int node(const NodeArguments& arguments, Shell& shell) {
  if (!arguments.stdio)
    throw bad_input("a node talks on its standard input and output: harness node --stdio; see docs/fleet.md");
  require_descriptors();
  watch_for_stops();
  Places places = shell.places();
  places.programs = arguments.programs;
  utsname host{};
  uname(&host);
  catch_interrupts();
  fleet::NodeParts parts;
  parts.build = build_of(shell.rooms.program);
  parts.machine = host.nodename;
  parts.driver_release = driver_release();
  parts.devices = usable_devices(arguments, shell, places);
  parts.catalog = [&] { return shell.rooms.catalog(places); };
  parts.evaluator = [&](const DeviceInfo& device, std::function<bool()> stop) {
    return shell.rooms.evaluator(places, device, std::nullopt, std::move(stop));
  };
  parts.interrupted = interrupted;
  return fleet::serve_node(std::move(parts), 0, 1);
}

}  // namespace

void define_node(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<NodeArguments>();
  app.add_flag("--stdio", arguments->stdio, "Messages on standard input and output, one a line");
  app.add_option("--device", arguments->devices, "Only these devices (default: all that are here)")->delimiter(',');
  app.add_option("--programs", arguments->programs, "So many such programs share this machine's cores")
      ->check(CLI::Range(1, 1024));
  add_gate_options(app, shell);
  add_plugin_options(app, shell);
  action = [arguments, &shell] { return node(*arguments, shell); };
}

}  // namespace harness
