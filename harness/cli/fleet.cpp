#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "harness/cli/command.h"
#include "harness/core/device.h"
#include "harness/core/error.h"
#include "harness/core/quote.h"
#include "harness/report/out.h"

// Fleet files that work, for what people have most often.
namespace harness {
namespace {

struct FleetArguments {
  std::string partition, account, time = "04:00:00", program = "harness", folder, device;
  bool emulated = false;  // the device is: one a machine, and no card of Slurm's
  std::vector<std::string> hosts;
  int nodes = 1, gpus = 1;
  double usd_per_hour = 0, wait_s = 600;
};

std::string price(const FleetArguments& arguments) {
  return arguments.usd_per_hour > 0 ? fmt::format("    usd_per_hour = {:g},\n", arguments.usd_per_hour) : "";
}

/// As it was given, else all of a kind. There is one emulation a machine.
std::string all_devices(const FleetArguments& arguments) {
  const bool all = arguments.device.find(':') == std::string::npos && !arguments.emulated;
  return all ? arguments.device + ":*" : arguments.device;
}

/// Which kind of device is meant (the first that is no emulation where none was said), and whether it is an emulation.
void settle_device(FleetArguments& arguments, Shell& shell) {
  std::vector<std::string> kinds;
  for (const DeviceInfo& each : shell.rooms.devices(shell.places())) {
    const std::string kind = device_kind(each.device);
    if (arguments.device.empty() && !each.emulation) arguments.device = kind;
    if (kind == device_kind(arguments.device)) {
      arguments.emulated = each.emulation;
      return;
    }
    kinds.push_back(kind);
  }
  throw bad_input(fmt::format("--device: there is no kind of device '{}'; there are: {}", arguments.device,
                              fmt::join(kinds, ", ")));
}

// One task a card, -n1 and never --unbuffered: srun would copy the input to every task, or put a pseudo-terminal
// between. Inside an allocation (salloc, sbatch) srun takes its cards from there.
int slurm(const FleetArguments& arguments) {
  std::string words;
  const bool on_processors = arguments.emulated;
  for (const char* word : {"srun", "-n1", "-N1", "--gpus=1", "-K1", "--exact"})
    if (!on_processors || std::string(word) != "--gpus=1") words += lua_text(word) + ", ";
  if (!arguments.partition.empty()) words += lua_text("--partition=" + arguments.partition) + ", ";
  if (!arguments.account.empty()) words += lua_text("--account=" + arguments.account) + ", ";
  words += lua_text("--time=" + arguments.time) + ", ";
  if (!arguments.folder.empty()) words += lua_text("--chdir=" + arguments.folder) + ", ";
  const std::string device = on_processors ? fmt::format("{{ {} }},", lua_text(arguments.device))
                                           : fmt::format("{{ {} }},   -- the card that Slurm gives it",
                                                         lua_text(device_kind(arguments.device) + ":0"));
  report::out(
      "-- One step of Slurm for each of {} x {} {}.\nreturn fleet {{\n  node {{\n    name = \"slurm\",\n    start = {{ "
      "{}{}, \"node\", \"--stdio\" }},\n    devices = {}\n    count = {},\n{}    wait_s = {:g},   -- that it may be "
      "waited for\n  }},\n}}\n",
      arguments.nodes, arguments.gpus, on_processors ? "nodes" : "GPUs", words, lua_text(arguments.program), device,
      arguments.nodes * arguments.gpus, price(arguments), arguments.wait_s);
  return 0;
}

int ssh(const FleetArguments& arguments) {
  std::string text = "-- One node for every device of these machines.\nreturn fleet {\n";
  for (const std::string& host : arguments.hosts) {
    const std::string change =
        arguments.folder.empty() ? "" : "\"cd\", " + lua_text(shell_word(arguments.folder)) + ", \"&&\", ";
    text += fmt::format(
        "  node {{\n    name = {},\n    start = {{ \"ssh\", \"-T\", \"-o\", \"BatchMode=yes\", \"-o\", "
        "\"ServerAliveInterval=15\", \"-o\", \"ServerAliveCountMax=4\",\n              {}, {}\"exec\", {}, "
        "\"node\", \"--stdio\" }},\n    devices = {{ {} }},\n{}  }},\n",
        lua_text(host), lua_text(host), change, lua_text(arguments.program), lua_text(all_devices(arguments)),
        price(arguments));
  }
  report::out("{}}}\n", text);
  return 0;
}

void add_common(CLI::App& app, FleetArguments& arguments) {
  app.add_option("--program", arguments.program, "The harness there (default: the one in PATH)");
  app.add_option("--folder", arguments.folder, "The project's folder there");
  app.add_option("--device", arguments.device,
                 "Which devices there, as --device elsewhere names them (default: all GPUs)");
  app.add_option("--usd-per-hour", arguments.usd_per_hour, "The price of a card")->check(CLI::PositiveNumber);
}

}  // namespace

void define_fleet(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<FleetArguments>();
  app.require_subcommand(1);
  CLI::App* by_slurm = app.add_subcommand("slurm", "Cards of a Slurm cluster, one srun step each");
  by_slurm->add_option("--partition", arguments->partition, "Slurm's partition");
  by_slurm->add_option("--account", arguments->account, "Slurm's account");
  by_slurm->add_option("--nodes", arguments->nodes, "Machines")->check(CLI::Range(1, 1024))->capture_default_str();
  by_slurm->add_option("--gpus", arguments->gpus, "Cards of each")->check(CLI::Range(1, 64))->capture_default_str();
  by_slurm->add_option("--time", arguments->time, "Of each step")->capture_default_str();
  by_slurm->add_option("--wait", arguments->wait_s, "Seconds that a card may be waited for")->capture_default_str();
  add_common(*by_slurm, *arguments);
  CLI::App* by_ssh = app.add_subcommand("ssh", "All cards of machines that ssh reaches");
  by_ssh->add_option("host", arguments->hosts, "Machines, as ssh calls them")->required();
  add_common(*by_ssh, *arguments);
  action = [arguments, by_slurm, &shell] {
    settle_device(*arguments, shell);
    return by_slurm->parsed() ? slurm(*arguments) : ssh(*arguments);
  };
}

}  // namespace harness
