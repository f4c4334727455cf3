#include <fmt/format.h>

#include <map>
#include <memory>

#include "harness/cli/command.h"
#include "harness/core/gpu.h"
#include "harness/report/out.h"
#include "harness/report/table.h"
#include "harness/service/fleet_nodes.h"

// devices, kernels, variants, strategies: what there is.
namespace harness {
namespace {

void show_json(const json& value) {
  report::out_json(value);
}
void show_table(const report::Table& table) {
  report::out("%s", report::aligned(table).c_str());
}

json ways_json(const std::vector<ProfileWay>& ways) {
  json all = json::array();
  for (const ProfileWay& way : ways)
    all.push_back({{"source", way.source},
                   {"missing", way.missing.empty() ? json() : json(way.missing)},
                   {"mend", way.mend.empty() ? json() : json(way.mend)}});
  return all;
}

/// Which source a profile will have, and what better ones lack.
void say_profiles(const DeviceInfo& device, const std::vector<ProfileWay>& ways) {
  for (const ProfileWay& way : ways) {
    if (way.missing.empty()) {
      report::tell("%s: profiles through %s\n", device.device.c_str(), std::string(name(way.source)).c_str());
      return;
    }
    report::tell("%s: no profiles through %s: %s; to mend it: %s\n", device.device.c_str(),
                 std::string(name(way.source)).c_str(), way.missing.c_str(), way.mend.c_str());
  }
}

std::vector<std::string> gpu_names() {
  std::vector<std::string> names;
  for (const GpuFacts& gpu : gpus()) names.push_back(gpu.name);
  return names;
}

int devices(Shell& shell, bool as_json) {
  const std::vector<DeviceInfo> found = shell.rooms.devices(shell.places());
  json rows = json::array();
  report::Table table{{"device", "name", "available", "architecture", "compiler", "driver"}, {}};
  for (const DeviceInfo& device : found) {
    rows.push_back(device);
    if (const auto ways = shell.rooms.profile_ways(device); !ways.empty()) rows.back()["profiles"] = ways_json(ways);
    if (device.emulation) rows.back()["predicts_for"] = gpu_names();
    table.rows.push_back({device.device, device.name.empty() ? "-" : device.name, device.available ? "yes" : "no",
                          device.architecture, device.compiler, device.driver});
  }
  if (as_json) {
    show_json(rows);
    return 0;
  }
  show_table(table);
  for (const DeviceInfo& device : found)
    for (const std::string& missing : device.missing) report::tell("%s: %s\n", device.device.c_str(), missing.c_str());
  for (const DeviceInfo& device : found)
    if (device.available) say_profiles(device, shell.rooms.profile_ways(device));
  for (const DeviceInfo& device : found)
    if (device.emulation && device.available)
      report::tell("%s: predicts times of %s (--for NAME)\n", device.device.c_str(),
                   fmt::format("{}", fmt::join(gpu_names(), ", ")).c_str());
  report::tell("compilers: %s\n", shell.rooms.confinement().c_str());
  return 0;
}

std::string clock_text(const CardState& state) {
  const auto megahertz = [](const std::optional<double>& value) { return value ? fmt::format("{:.0f}", *value) : "-"; };
  return megahertz(state.sm_clock_mhz) + "/" + megahertz(state.memory_clock_mhz);
}

/// "3950 GB/s, 812 Gop/s"
std::string rates_text(const CardCalibration& found) {
  return fmt::format("{:.4g} GB/s, {:.4g} Gop/s", found.bytes_per_s * 1e-9, found.operations_per_s * 1e-9);
}

/// Starts every node of a fleet file, calibrates its cards, and says what they are.
int fleet_devices(Shell& shell, const std::string& file, bool as_json) {
  const auto fleet = start_fleet(fleet_nodes(file, "", shell), shell, {}, "", true);
  const auto catalog = shell.rooms.catalog(shell.places());
  fleet->prepare_for(*catalog, {});
  std::map<std::string, CardCalibration> calibrations;
  for (const CardCheck& check : fleet->take_card_checks()) calibrations[check.node] = check.calibration;
  json rows = json::array();
  report::Table table{
      {"node", "device", "name", "uuid", "driver", "release", "MHz", "calibration", "waited", "usd_per_hour", "usable"},
      {}};
  for (const FleetDevice& device : fleet->devices()) {
    const DeviceInfo& info = device.info;
    const auto calibrated = calibrations.find(device.node);
    const bool known = calibrated != calibrations.end();
    json row = info;
    row["calibration"] = known ? json(calibrated->second) : json();
    row["waited_s"] = device.waited_s;
    row["node"] = device.node;
    row["uuid"] = device.uuid;
    row["driver_release"] = device.driver_release;
    row["usd_per_hour"] = device.usd_per_hour;
    row["usable"] = device.alive;
    row["why"] = device.why;
    rows.push_back(std::move(row));
    table.rows.push_back({device.node, info.device, info.name, device.uuid, info.driver, device.driver_release,
                          known ? clock_text(calibrated->second.state) : "-",
                          known ? rates_text(calibrated->second) : "-", fmt::format("{:.1f} s", device.waited_s),
                          device.usd_per_hour ? fmt::format("{:g}", *device.usd_per_hour) : "-",
                          device.alive ? "yes" : "no: " + device.why});
  }
  if (as_json) show_json(rows);
  else show_table(table);
  return 0;
}

json workload_json(const Workload& workload) {
  json object = json::object();
  for (const auto& [name, value] : workload.values) object[name] = value_to_json(value);
  object["name"] = workload.name;
  object["sets"] = workload.sets;
  object["devices"] = workload.devices;
  object["weight"] = workload.weight;
  return object;
}

// A broken plugin is named and the others are listed: exit 2 at the end.
int kernels(Shell& shell, bool as_json) {
  const auto catalog = shell.rooms.catalog(shell.places());
  json rows = json::array();
  report::Table table{{"kernel", "workloads", "variants", "summary"}, {}};
  std::vector<std::string> broken;
  for (const std::string& name : catalog->kernel_names()) {
    try {
      const KernelInfo& kernel = catalog->kernel(name);
      json workloads = json::array(), variants = json::array();
      for (const Workload& workload : kernel.workloads) workloads.push_back(workload_json(workload));
      for (const VariantInfo& variant : kernel.variants) variants.push_back(variant.name);
      rows.push_back({{"name", name}, {"summary", kernel.summary}, {"workloads", workloads}, {"variants", variants}});
      table.rows.push_back(
          {name, std::to_string(kernel.workloads.size()), std::to_string(kernel.variants.size()), kernel.summary});
    } catch (const std::exception& error) {
      broken.emplace_back(error.what());
    }
  }
  if (as_json) show_json(rows);
  else show_table(table);
  for (const std::string& sentence : broken) report::err("harness: %s\n", sentence.c_str());
  return broken.empty() ? 0 : 2;
}

int variants(Shell& shell, const std::string& kernel, bool as_json) {
  const auto catalog = shell.rooms.catalog(shell.places());
  json rows = json::array();
  report::Table table{{"variant", "technique", "risk", "speedup expected", "probability", "parameters"}, {}};
  const KernelInfo& info = catalog->kernel(kernel);
  for (const VariantInfo& variant : info.variants) {
    json priors = json::object();
    if (variant.prior_by_workload)
      for (const Workload& w : info.workloads) priors[w.name] = catalog->plugin(kernel).prior(variant.name, w.name);
    json parameters = json::object();
    std::string shown;
    for (const Parameter& parameter : variant.parameters) {
      std::vector<std::string> values;
      for (const Value& value : parameter.values) {
        parameters[parameter.name].push_back(value_to_json(value));
        values.push_back(to_text(value));
      }
      shown += fmt::format("{}{}={{{}}}", shown.empty() ? "" : " ", parameter.name, fmt::join(values, ","));
    }
    rows.push_back({{"name", variant.name},
                    {"technique", variant.technique},
                    {"parameters", parameters},
                    {"requires", variant.requirements},
                    {"prior", variant.prior_by_workload ? json() : json(variant.prior)},
                    {"priors", priors},
                    {"risk", variant.risk},
                    {"rival", variant.rival}});
    table.rows.push_back({variant.name, variant.technique, variant.rival ? "rival" : variant.risk,
                          variant.prior_by_workload
                              ? "by workload"
                              : fmt::format("{:g}x to {:g}x", variant.prior.speedup_lo, variant.prior.speedup_hi),
                          variant.prior_by_workload ? "-" : fmt::format("{:g}", variant.prior.probability), shown});
  }
  if (as_json) show_json(rows);
  else show_table(table);
  return 0;
}

int strategies(Shell& shell, bool as_json) {
  const json rows = shell.rooms.scripts(shell.places())->list();
  if (as_json) show_json(rows);
  else show_table(report::from_rows({"kind", "name", "summary", "file"}, rows));
  return 0;
}

int check_script(Shell& shell, const std::string& name, bool as_json) {
  const json report = shell.rooms.scripts(shell.places())->check(name);
  if (as_json) {
    show_json(report);
    return 0;
  }
  report::tell("%s: the %s '%s' loads and runs\n", report.at("file").get<std::string>().c_str(),
               report.at("kind").get<std::string>().c_str(), report.at("name").get<std::string>().c_str());
  for (const json& sentence : report.at("tried")) report::tell("  %s\n", sentence.get<std::string>().c_str());
  return 0;
}

std::shared_ptr<bool> json_flag(CLI::App& app) {
  auto flag = std::make_shared<bool>(false);
  app.add_flag("--json", *flag, "JSON instead of a table");
  return flag;
}

}  // namespace

void define_devices(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto fleet = std::make_shared<std::string>();
  app.add_option("--fleet", *fleet, "The devices of a fleet file: starts its nodes and asks them")->type_name("FILE");
  action = [flag = json_flag(app), fleet, &shell] {
    return fleet->empty() ? devices(shell, *flag) : fleet_devices(shell, *fleet, *flag);
  };
}

void define_kernels(CLI::App& app, Shell& shell, std::function<int()>& action) {
  add_plugin_options(app, shell);
  action = [flag = json_flag(app), &shell] { return kernels(shell, *flag); };
}

void define_variants(CLI::App& app, Shell& shell, std::function<int()>& action) {
  add_plugin_options(app, shell);
  auto kernel = std::make_shared<std::string>();
  app.add_option("kernel", *kernel, "The kernel")->required()->type_name("KERNEL");
  action = [flag = json_flag(app), kernel, &shell] { return variants(shell, *kernel, *flag); };
}

void define_strategies(CLI::App& app, Shell& shell, std::function<int()>& action) {
  add_plugin_options(app, shell);
  auto checked = std::make_shared<std::string>();
  app.add_option("--check", *checked,
                 "Load one strategy, rule, search or diagnosis and try it on made-up data: a name or a file")
      ->type_name("NAME|FILE");
  action = [flag = json_flag(app), checked, &shell] {
    return checked->empty() ? strategies(shell, *flag) : check_script(shell, *checked, *flag);
  };
}

}  // namespace harness
