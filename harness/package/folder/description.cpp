#include "harness/package/folder/description.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/hash.h"
#include "harness/package/resolved.h"

namespace harness::package {
namespace {

json fields_json(const Launcher& launcher) {
  json all = json::array();
  for (const FieldLimits& field : launcher.fields) {
    json one = {{"name", field.name}};
    if (std::holds_alternative<bool>(field.example)) one["type"] = "flag";
    else if (std::holds_alternative<std::string>(field.example)) {
      one["type"] = "text";
      one["values"] = enumerators(launcher, field.name);
    } else {
      one["type"] = std::holds_alternative<double>(field.example) ? "float" : "whole";
      if (field.bounded && field.listed) one["values"] = field.values;
      else if (field.bounded) one.update({{"from", field.lo}, {"to", field.hi}, {"step", field.step}});
    }
    all.push_back(std::move(one));
  }
  return all;
}

json arguments_json(const FormulaPlan& plan) {
  json all = json::array();
  for (const FormulaArgument& argument : plan.arguments) {
    json one = {{"name", argument.name}, {"kind", argument.kind}, {"dtype", name(argument.dtype)}};
    if (argument.kind == ArgumentKind::scalar) {
      if (argument.value) one["as_measured"] = *argument.value;
    } else {
      one.update({{"shape", argument.shape}, {"strides", argument.strides}, {"align", argument.align}});
      if (!argument.present.empty()) one["present"] = argument.present;
    }
    all.push_back(std::move(one));
  }
  return all;
}

/// The element types of the arguments by the text fields: [{"fixed":{"dtype":"f16"},"arguments":{"x":"f16"}}].
json types_json(const Launcher& launcher) {
  json all = json::array();
  for (const LauncherInstance& instance : launcher.instances) {
    json fixed = json::object(), arguments = json::object();
    for (const auto& [name, value] : instance.plan.fixed)
      if (std::holds_alternative<std::string>(value)) fixed[name] = value;
    for (const FormulaArgument& argument : instance.plan.arguments) arguments[argument.name] = name(argument.dtype);
    json one = {{"fixed", fixed}, {"arguments", arguments}};
    if (std::ranges::find(all, one) == all.end()) all.push_back(std::move(one));
  }
  return all;
}

json launch_json(const FormulaLaunch& launch) {
  json one = {{"entry", launch.entry}, {"grid", launch.grid}, {"block", launch.block}, {"shared_bytes", launch.shared}};
  if (launch.cluster != std::array<Formula, 3>{1, 1, 1}) one["cluster"] = launch.cluster;
  if (launch.cooperative) one["cooperative"] = true;
  if (launch.pdl) one["pdl"] = true;
  if (launch.resident > 0) one["resident"] = launch.resident;
  return one;
}

/// What a configuration launches for the flags and types of its first instance.
json plan_json(const FormulaPlan& plan) {
  json launches = json::array(), workspaces = json::array();
  for (const FormulaStep& step : plan.steps)
    if (const auto* launch = std::get_if<FormulaLaunch>(&step)) launches.push_back(launch_json(*launch));
  for (const FormulaWorkspace& workspace : plan.workspaces)
    workspaces.push_back({{"name", workspace.name}, {"bytes", workspace.bytes}, {"zeroed", workspace.zeroed}});
  json constants = json::array();
  for (const FormulaConstant& constant : plan.constants)
    constants.push_back({{"symbol", constant.symbol}, {"from", constant.from}, {"bytes", constant.bytes}});
  json described = {{"for", plan.fixed}, {"launches", launches}, {"workspaces", workspaces}, {"valid", plan.valid}};
  if (!constants.empty()) described["constants"] = constants;
  return described;
}

json configurations_json(const PackageModel& model) {
  json all = json::array();
  for (std::size_t i = 0; i < model.launcher.configurations.size(); ++i) {
    const LauncherConfiguration& configuration = model.launcher.configurations[i];
    json one = {{"variant", configuration.candidate.variant},
                {"technique", configuration.candidate.technique},
                {"config", config_to_json(configuration.candidate.config)},
                {"original", configuration.original}};
    for (const LauncherInstance& instance : model.launcher.instances) {
      if (instance.configuration != i) continue;
      one["plan"] = plan_json(instance.plan);
      break;
    }
    all.push_back(std::move(one));
  }
  return all;
}

json modules_json(const PackageModel& model) {
  json all = json::array();
  for (std::size_t place = 0; place < model.units.size(); ++place) {
    const PackageUnit& unit = model.units[place];
    json code = json::array();
    for (std::size_t i = 0; i < unit.code.size(); ++i) {
      const CompiledCode& compiled = unit.code[i];
      if (compiled.bytes.empty()) continue;
      json entries = json::array();
      for (const EntryResources& entry : compiled.artifact.entries)
        entries.push_back({{"entry", entry.entry},
                           {"registers", entry.registers},
                           {"spill_bytes", entry.spill_bytes},
                           {"static_shared_bytes", entry.static_shared_bytes}});
      code.push_back({{"architecture", compiled.artifact.architecture},
                      {"compiler", compiled.artifact.compiler},
                      {"code_hash", compiled.artifact.code_hash},
                      {"image", image_name(model.launcher.kernel, place, i)},
                      {"sha256", sha256_hex(compiled.bytes)},
                      {"bytes", compiled.bytes.size()},
                      {"entries", entries}});
    }
    json ptx = json::array();
    for (std::size_t i = 0; i < unit.ptx.size(); ++i)
      if (!unit.ptx[i].bytes.empty())
        ptx.push_back({{"architecture", model.launcher.ptx_architectures.at(i)},
                       {"compiler", unit.ptx[i].artifact.compiler},
                       {"image", ptx_name(model.launcher.kernel, place, i)},
                       {"sha256", sha256_hex(unit.ptx[i].bytes)},
                       {"bytes", unit.ptx[i].bytes.size()}});
    all.push_back({{"source", unit.build.source_name},
                   {"defines", unit.build.defines},
                   {"options", unit.build.options},
                   {"entries", unit.build.entries},
                   {"code", code},
                   {"ptx", ptx}});
  }
  return all;
}

json workloads_json(const PackageModel& model) {
  json all = json::array();
  for (std::size_t i = 0; i < model.record.points.size(); ++i) {
    const MeasuredPoint& point = model.record.points[i];
    json one = {{"workload", point.workload.name},    {"values", point.workload.values},
                {"weight", point.workload.weight},    {"device", point.device},
                {"original_ns", point.original_ns},   {"evidence", evidence_path(model, i)},
                {"declared", point.workload.declared}};
    if (const int configuration = model.dispatch.chosen[i]; configuration >= 0) {
      const MeasuredRun& run = point.runs[static_cast<std::size_t>(configuration)];
      one.update({{"variant", run.candidate.variant},
                  {"config", config_to_json(run.candidate.config)},
                  {"time_ns", run.time_ns},
                  {"iteration", run.iteration},
                  {"campaign", run.campaign},
                  {"confirmed", run.confirmed}});
    }
    all.push_back(std::move(one));
  }
  return all;
}

json devices_json(const PackageModel& model) {
  json all = json::array();
  for (const DeviceInfo& device : model.record.devices)
    all.push_back({{"name", device.name},
                   {"architecture", device.architecture},
                   {"driver", device.driver},
                   {"compiler", device.compiler},
                   {"emulation", device.emulation},
                   {"predicts", device.predicts}});
  return all;
}

}  // namespace

json rule_json(const Launcher& launcher, const DispatchRule& rule) {
  const Candidate& candidate = launcher.configurations[rule.configuration].candidate;
  json when = json::array();
  for (const Condition& condition : rule.conditions)
    when.push_back({{"fields", condition.fields}, {"from", condition.lo}, {"to", condition.hi}});
  return {{"device", text_or_null(rule.device)},
          {"variant", candidate.variant},
          {"config", config_to_json(candidate.config)},
          {"when", when},
          {"why", rule.why}};
}

json cut_json(const DispatchCut& cut) {
  json costs = json::array();
  for (const DispatchCut::Cost& cost : cut.costs)
    costs.push_back({{"workload", cost.workload},
                     {"instead", cost.instead},
                     {"from_ns", cost.from_ns},
                     {"to_ns", cost.to_ns},
                     {"ratio", cost.to_ns / cost.from_ns}});
  return {{"variant", cut.candidate.variant}, {"config", config_to_json(cut.candidate.config)}, {"costs", costs}};
}

json description(const PackageModel& model, FormulaCatalog& catalog, const std::string& program,
                 const std::string& revision, bool has_licence) {
  const Launcher& launcher = model.launcher;
  json dispatch = json::array(), cuts = json::array(), contracts = json::object();
  for (const DispatchRule& rule : launcher.rules) dispatch.push_back(rule_json(launcher, rule));
  for (const DispatchCut& cut : model.dispatch.cuts) cuts.push_back(cut_json(cut));
  for (const MeasuredPoint& point : model.record.points)
    contracts[point.workload.name] = catalog.plugin(launcher.kernel).problem(point.workload.name).contract_hash;
  return {{"schema", 1},
          {"kernel", launcher.kernel},
          {"name", launcher_name(launcher.kernel)},
          {"summary", launcher.summary},
          {"stamps", model.record.stamps},
          {"architectures", launcher.architectures},
          {"ptx", launcher.ptx_architectures},
          {"contract",
           {{"fields", fields_json(launcher)},
            {"arguments", arguments_json(launcher.instances.front().plan)},
            {"types", types_json(launcher)},
            {"hashes", contracts}}},
          {"configurations", configurations_json(model)},
          {"dispatch", dispatch},
          {"elsewhere", "the original"},
          {"table", model.record.table.origin},
          {"left_out", model.left_out},
          {"cuts", cuts},
          {"refused", model.record.refused},
          {"workloads", workloads_json(model)},
          {"modules", modules_json(model)},
          {"provenance", {{"program", program}, {"revision", revision}, {"devices", devices_json(model)}}},
          {"licences",
           {{"package", has_licence ? "LICENSE" : "not stated"},
            {"included", "sources in plugin/ only; headers of the CUDA toolkit are included by name, not contained"}}}};
}

}  // namespace harness::package
