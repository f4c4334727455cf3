#include <fmt/format.h>

#include <memory>

#include "harness/cli/command.h"
#include "harness/core/gpu.h"
#include "harness/report/out.h"
#include "harness/report/table.h"
#include "harness/service/fleet_nodes.h"
#include "harness/service/inventory.h"

// devices, kernels, variants, strategies: what there is.
namespace harness {
namespace {

int show_json(const json& value) {
  report::out_json(value);
  return 0;
}
void show_table(const report::Table& table) {
  report::out("{}", report::aligned(table));
}

/// Which source a profile will have, and what better ones lack.
void say_profiles(const std::string& device, const std::vector<ProfileWay>& ways) {
  for (const ProfileWay& way : ways) {
    const std::string source(name(way.source));
    if (way.missing.empty()) return report::tell("{}: profiles through {}\n", device, source);
    report::tell("{}: no profiles through {}: {}; to mend it: {}\n", device, source, way.missing, way.mend);
  }
}

/// What lies behind a table of devices.
void say_more(const std::vector<DeviceInfo>& devices, Shell& shell) {
  std::vector<std::string> names;
  for (const GpuFacts& gpu : gpus()) names.push_back(gpu.name);
  for (const DeviceInfo& device : devices)
    for (const std::string& missing : device.missing) report::tell("{}: {}\n", device.device, missing);
  for (const DeviceInfo& device : devices)
    if (device.available) say_profiles(device.device, shell.rooms.profile_ways(device));
  for (const DeviceInfo& device : devices)
    if (device.emulation && device.available)
      report::tell("{}: predicts times of {} (--for NAME)\n", device.device, fmt::join(names, ", "));
  report::tell("compilers: {}\n", shell.rooms.confinement());
}

int devices(Shell& shell, bool as_json) {
  if (as_json) return show_json(devices_here(shell));
  const std::vector<DeviceInfo> here = shell.rooms.devices(shell.places());
  report::Table table{{"device", "name", "available", "architecture", "compiler", "driver"}, {}};
  for (const DeviceInfo& device : here)
    table.rows.push_back({device.device, device.name.empty() ? "-" : device.name, device.available ? "yes" : "no",
                          device.architecture, device.compiler, device.driver});
  show_table(table);
  say_more(here, shell);
  return 0;
}

/// "1980/2619", and "3950 GB/s, 812 Gop/s"; nothing where there is no calibration.
std::pair<std::string, std::string> calibration_texts(const json& calibrated) {
  if (calibrated.is_null()) return {"-", "-"};
  const auto found = calibrated.get<CardCalibration>();
  const auto megahertz = [](const std::optional<double>& value) { return value ? fmt::format("{:.0f}", *value) : "-"; };
  return {megahertz(found.state.sm_clock_mhz) + "/" + megahertz(found.state.memory_clock_mhz),
          fmt::format("{:.4g} GB/s, {:.4g} Gop/s", found.bytes_per_s * 1e-9, found.operations_per_s * 1e-9)};
}

/// Starts every node of a fleet file, calibrates its cards, and says what they are.
int fleet_devices(Shell& shell, const std::string& file, bool as_json) {
  const auto fleet = start_fleet(fleet_nodes(file, "", shell), shell, {}, "", true);
  fleet->prepare_for(*shell.rooms.catalog(shell.places()), {});
  const json rows = devices_of(*fleet);
  if (as_json) return show_json(rows);
  report::Table table{
      {"node", "device", "name", "uuid", "driver", "release", "MHz", "calibration", "waited", "usd_per_hour", "usable"},
      {}};
  for (const json& row : rows) {
    const auto [clocks, rates] = calibration_texts(row.at("calibration"));
    const auto cell = [&](const char* key) { return report::cell(row.at(key)); };
    table.rows.push_back({cell("node"), cell("device"), cell("name"), cell("uuid"), cell("driver"),
                          cell("driver_release"), clocks, rates,
                          report::Quantity{row.at("waited_s").get<double>(), report::Unit::s, 1}, cell("usd_per_hour"),
                          row.at("usable") ? "yes" : "no: " + row.at("why").get<std::string>()});
  }
  show_table(table);
  return 0;
}

// A broken plugin is named and the others are listed: exit 2 at the end.
int kernels(Shell& shell, bool as_json) {
  std::vector<std::string> broken;
  const json rows = kernels_here(shell, broken);
  report::Table table{{"kernel", "workloads", "variants", "summary"}, {}};
  for (const json& row : rows)
    table.rows.push_back({report::cell(row["name"]), report::cell(row["workloads"].size()),
                          report::cell(row["variants"].size()), report::cell(row["summary"])});
  if (as_json) show_json(rows);
  else show_table(table);
  for (const std::string& sentence : broken) report::err("harness: {}\n", sentence);
  return broken.empty() ? 0 : 2;
}

/// "BLOCK={32,64} VEC={1,2}"
std::string parameters_text(const VariantInfo& variant) {
  std::string text;
  for (const Parameter& parameter : variant.parameters) {
    std::vector<std::string> values;
    for (const Value& value : parameter.values) values.push_back(to_text(value));
    text += fmt::format("{}{}={{{}}}", text.empty() ? "" : " ", parameter.name, fmt::join(values, ","));
  }
  return text;
}

int variants(Shell& shell, const std::string& kernel, bool as_json) {
  if (as_json) return show_json(variants_of(shell, kernel));
  const auto catalog = shell.rooms.catalog(shell.places());
  report::Table table{{"variant", "technique", "risk", "speedup expected", "probability", "parameters"}, {}};
  for (const VariantInfo& variant : catalog->kernel(kernel).variants) {
    const bool by_workload = variant.prior_by_workload;
    table.rows.push_back(
        {variant.name, variant.technique, variant.rival ? "rival" : variant.risk,
         by_workload ? "by workload"
                     : fmt::format("{:g}x to {:g}x", variant.prior.speedup_lo, variant.prior.speedup_hi),
         by_workload ? report::Quantity{} : report::Quantity{variant.prior.probability, report::Unit::number},
         parameters_text(variant)});
  }
  show_table(table);
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
  if (as_json) return show_json(report);
  report::tell("{}: the {} '{}' loads and runs\n", report.at("file").get<std::string>(),
               report.at("kind").get<std::string>(), report.at("name").get<std::string>());
  for (const json& sentence : report.at("tried")) report::tell("  {}\n", sentence.get<std::string>());
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
