#include "harness/service/inventory.h"

#include <map>

#include "harness/core/gpu.h"

namespace harness {
namespace {

json ways_json(const std::vector<ProfileWay>& ways) {
  json all = json::array();
  for (const ProfileWay& way : ways)
    all.push_back({{"source", way.source}, {"missing", text_or_null(way.missing)}, {"mend", text_or_null(way.mend)}});
  return all;
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

json parameters_json(const VariantInfo& variant) {
  json parameters = json::object();
  for (const Parameter& parameter : variant.parameters)
    for (const Value& value : parameter.values) parameters[parameter.name].push_back(value_to_json(value));
  return parameters;
}

}  // namespace

json devices_here(Shell& shell) {
  json rows = json::array();
  for (const DeviceInfo& device : shell.rooms.devices(shell.places())) {
    json& row = rows.emplace_back(device);
    if (const auto ways = shell.rooms.profile_ways(device); !ways.empty()) row["profiles"] = ways_json(ways);
    if (!device.emulation) continue;
    for (const GpuFacts& gpu : gpus()) row["predicts_for"].push_back(gpu.name);
  }
  return rows;
}

json devices_of(fleet::NodeFleet& fleet) {
  std::map<std::string, CardCalibration> calibrations;
  for (const CardCheck& check : fleet.take_card_checks()) calibrations[check.node] = check.calibration;
  json rows = json::array();
  for (const FleetDevice& device : fleet.devices()) {
    json& row = rows.emplace_back(device.info);
    const auto calibration = calibrations.find(device.node);
    row["calibration"] = calibration != calibrations.end() ? json(calibration->second) : json();
    row["waited_s"] = device.waited_s;
    row["node"] = device.node;
    row["uuid"] = device.uuid;
    row["driver_release"] = device.driver_release;
    row["usd_per_hour"] = device.usd_per_hour;
    row["usable"] = device.alive;
    row["why"] = device.why;
  }
  return rows;
}

json kernels_here(Shell& shell, std::vector<std::string>& broken) {
  const auto catalog = shell.rooms.catalog(shell.places());
  json rows = json::array();
  for (const std::string& name : catalog->kernel_names()) {
    try {
      const KernelInfo& kernel = catalog->kernel(name);
      json workloads = json::array(), variants = json::array();
      for (const Workload& workload : kernel.workloads) workloads.push_back(workload_json(workload));
      for (const VariantInfo& variant : kernel.variants) variants.push_back(variant.name);
      rows.push_back({{"name", name}, {"summary", kernel.summary}, {"workloads", workloads}, {"variants", variants}});
    } catch (const std::exception& error) {
      broken.emplace_back(error.what());
    }
  }
  return rows;
}

json variants_of(Shell& shell, const std::string& kernel) {
  const auto catalog = shell.rooms.catalog(shell.places());
  const KernelInfo& info = catalog->kernel(kernel);
  json rows = json::array();
  for (const VariantInfo& variant : info.variants) {
    json priors = json::object();
    if (variant.prior_by_workload)
      for (const Workload& w : info.workloads) priors[w.name] = catalog->plugin(kernel).prior(variant.name, w.name);
    rows.push_back({{"name", variant.name},
                    {"technique", variant.technique},
                    {"parameters", parameters_json(variant)},
                    {"requires", variant.requirements},
                    {"prior", variant.prior_by_workload ? json() : json(variant.prior)},
                    {"priors", priors},
                    {"risk", variant.risk},
                    {"rival", variant.rival}});
  }
  return rows;
}

}  // namespace harness
