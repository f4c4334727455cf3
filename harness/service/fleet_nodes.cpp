#include "harness/service/fleet_nodes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/service/arguments.h"
#include "harness/system/interrupt.h"

namespace harness {
namespace {

/// This very file, also after it was replaced by a newer one.
std::string own_program() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : "harness";
}

/// The command of a node that is a child.
std::vector<std::string> child_command(const NodeSpec& spec, int programs, const Shell& shell) {
  std::vector<std::string> words{own_program(), "node", "--stdio", "--programs", std::to_string(programs)};
  for (const std::string& folder : shell.more_kernels) words.insert(words.end(), {"--kernels", folder});
  for (const std::string& folder : shell.more_strategies) words.insert(words.end(), {"--strategies", folder});
  words.insert(words.end(), {"--policy", shell.policy});
  if (shell.trust_source) words.emplace_back("--trust-source");
  if (shell.no_preflight) words.emplace_back("--no-preflight");
  if (spec.devices.size() == 1 && spec.devices.front().find('*') == std::string::npos)
    words.insert(words.end(), {"--device", spec.devices.front()});
  return words;
}

}  // namespace

std::string build_of(const ProgramVersion& program) {
  return fmt::format("harness {} ({})", program.number, program.revision);
}

std::vector<NodeSpec> fleet_nodes(const std::string& file, const std::string& device, Shell& shell) {
  const bool several = device.find(',') != std::string::npos || device.find('*') != std::string::npos;
  if (!file.empty()) return shell.rooms.fleet_file(file);
  std::vector<NodeSpec> nodes;
  if (!several) return nodes;
  for (const std::string& each : split_commas(device)) {
    for (const DeviceInfo& known : shell.rooms.devices(shell.places())) {
      const bool meant = each == known.device || (each.ends_with(":*") && known.available &&
                                                  each.substr(0, each.size() - 2) == device_kind(known.device));
      if (!meant) continue;
      NodeSpec spec;
      spec.name = known.device;
      spec.devices = {choose_device(known.device, {known}).device};
      spec.is_child = true;
      nodes.push_back(std::move(spec));
    }
  }
  if (nodes.empty())
    throw environment_error(fmt::format("--device {} names no device that is here; see harness devices", device));
  return nodes;
}

std::unique_ptr<fleet::NodeFleet> start_fleet(std::vector<NodeSpec> nodes, Shell& shell,
                                              FirstCalibration first_calibration, const std::string& predicts,
                                              bool wait_for_all) {
  int children = 0;
  for (const NodeSpec& spec : nodes)
    if (spec.is_child) children += spec.count;
  for (NodeSpec& spec : nodes)
    if (spec.is_child) spec.start = child_command(spec, children, shell);
  fleet::FleetOptions options;
  options.nodes = std::move(nodes);
  options.build = build_of(shell.rooms.program);
  options.stop = interrupted;
  options.first_calibration = std::move(first_calibration);
  options.predicts = predicts;
  options.wait_for_all = wait_for_all;
  options.tell = [&shell](const std::string& sentence) { shell.note(sentence); };
  return std::make_unique<fleet::NodeFleet>(std::move(options));
}

}  // namespace harness
