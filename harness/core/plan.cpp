#include "harness/core/plan.h"

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/json_fields.h"

namespace harness {
namespace {

template <typename Kind>
bool has_step(const Plan& plan) {
  return std::ranges::any_of(plan.steps, [](const Step& step) { return std::holds_alternative<Kind>(step); });
}

json argument_to_json(const LaunchArgument& argument) {
  return std::visit([](const auto& held) { return json(held); }, argument);
}

LaunchArgument argument_from_json(const json& j) {
  if (j.contains("name")) return j.get<NamedArgument>();
  if (j.contains("box")) return j.get<TensorMap>();
  if (j.contains("dtype")) return j.get<ScalarArgument>();
  throw bad_input("launch argument '" + json_text(j) + "' has neither a name nor a box nor a dtype; give one of them");
}

json step_to_json(const Step& step) {
  if (const auto* launch = std::get_if<Launch>(&step)) return {{"launch", *launch}};
  if (const auto* memset = std::get_if<Memset>(&step)) return {{"memset", *memset}};
  return {{"library", std::get<LibraryCall>(step)}};
}

Step step_from_json(const json& j) {
  if (j.contains("launch")) return j["launch"].get<Launch>();
  if (j.contains("memset")) return j["memset"].get<Memset>();
  if (j.contains("library")) return j["library"].get<LibraryCall>();
  throw bad_input("plan step '" + json_text(j) + "' is not a launch, memset or library step; use one of these keys");
}

}  // namespace

Dim3 blocks_that_fit(const Launch& launch, std::uint64_t at_once) {
  Dim3 grid = launch.grid;
  if (launch.resident <= 0) return grid;
  const std::uint64_t columns = std::max<std::uint64_t>(1, std::uint64_t{grid.y} * grid.z);
  const std::uint64_t most = at_once * static_cast<std::uint64_t>(launch.resident) / columns;
  const std::uint64_t cluster = std::max<std::uint32_t>(1, launch.cluster.x);
  grid.x = static_cast<std::uint32_t>(std::min<std::uint64_t>(grid.x, std::max(cluster, most / cluster * cluster)));
  return grid;
}

void to_json(json& j, const Launch& launch) {
  json args = json::array();
  for (const LaunchArgument& argument : launch.args) args.push_back(argument_to_json(argument));
  j = json{{"entry", launch.entry},     {"grid", launch.grid},     {"block", launch.block},
           {"cluster", launch.cluster}, {"shared", launch.shared}, {"cooperative", launch.cooperative},
           {"args", std::move(args)}};
  // Only where they are used: plans without them are written, and hashed, as before.
  if (launch.pdl) j["pdl"] = true;
  if (launch.resident > 0) j["resident"] = launch.resident;
}

void from_json(const json& j, Launch& launch) {
  launch.entry = j.at("entry").get<std::string>();
  launch.grid = j.at("grid").get<Dim3>();
  launch.block = j.at("block").get<Dim3>();
  launch.cluster = j.at("cluster").get<Dim3>();
  launch.shared = j.at("shared").get<std::int64_t>();
  launch.cooperative = j.at("cooperative").get<bool>();
  launch.pdl = j.value("pdl", false);
  launch.resident = j.value("resident", 0);
  launch.args.clear();
  for (const json& argument : j.at("args")) launch.args.push_back(argument_from_json(argument));
}

void to_json(json& j, const Plan& plan) {
  json steps = json::array();
  for (const Step& step : plan.steps) steps.push_back(step_to_json(step));
  j = json{{"steps", std::move(steps)}, {"workspaces", plan.workspaces}};
  if (!plan.constants.empty()) j["constants"] = plan.constants;  // as with a launch: others are hashed as before
}

void from_json(const json& j, Plan& plan) {
  plan.steps.clear();
  for (const json& step : j.at("steps")) plan.steps.push_back(step_from_json(step));
  plan.workspaces = j.at("workspaces").get<std::vector<Workspace>>();
  plan.constants = j.value("constants", std::vector<ConstantTable>());
}

bool has_library_step(const Plan& plan) {
  return has_step<LibraryCall>(plan);
}

bool has_launch(const Plan& plan) {
  return has_step<Launch>(plan);
}

bool of_one_text(const BuildSpec& a, const BuildSpec& b) {
  const auto without_uses = [](BuildSpec spec) {
    spec.uses.clear();
    return json_text(spec);
  };
  return without_uses(a) == without_uses(b);
}

const EntryResources* find_entry(const Artifact& artifact, const std::string& entry) {
  const auto found = std::ranges::find(artifact.entries, entry, &EntryResources::entry);
  return found == artifact.entries.end() ? nullptr : &*found;
}

Plan with_built(Plan plan, const Artifact& artifact) {
  for (Step& step : plan.steps) {
    auto* const launch = std::get_if<Launch>(&step);
    const EntryResources* const built = launch == nullptr ? nullptr : find_entry(artifact, launch->entry);
    if (built == nullptr) continue;
    if (launch->block.x == 0) {
      launch->block.x = static_cast<std::uint32_t>(built->threads);
      launch->shared = built->shared;
    }
    if (built->cluster > 1) {
      launch->cluster.x = static_cast<std::uint32_t>(built->cluster);
      launch->grid.x *= launch->cluster.x;
    }
    if (built->passes.empty()) continue;
    std::vector<LaunchArgument> passed;
    for (const int argument : built->passes) {
      if (argument == kNullArgument) passed.emplace_back(ScalarArgument{Dtype::u64, std::int64_t{0}});
      else if (static_cast<std::size_t>(argument) < launch->args.size())
        passed.push_back(launch->args[static_cast<std::size_t>(argument)]);
    }
    launch->args = std::move(passed);
  }
  return plan;
}

std::vector<std::string> symbols_of(const std::vector<ConstantTable>& constants) {
  std::vector<std::string> symbols;
  for (const ConstantTable& each : constants) symbols.push_back(each.symbol);
  return symbols;
}

std::string constant_key(const std::string& symbol) {
  return kConstantMark + symbol;
}

std::int64_t launched_threads(const Plan& plan) {
  const auto volume = [](const Dim3& size) { return static_cast<std::int64_t>(size.x) * size.y * size.z; };
  std::int64_t most = 0;
  for (const Step& step : plan.steps)
    if (const auto* launch = std::get_if<Launch>(&step))
      most = std::max(most, volume(launch->grid) * volume(launch->block));
  return most;
}

bool fills_device_twice(const Plan& plan, int multiprocessors, bool emulation) {
  constexpr std::int64_t kThreads = 2048, kBlocks = 32;  // of a multiprocessor, from sm_70 on (CUDA guide, table 30)
  for (const Step& step : plan.steps) {
    const auto* launch = std::get_if<Launch>(&step);
    if (launch == nullptr) continue;
    const std::int64_t threads = std::int64_t{launch->block.x} * launch->block.y * launch->block.z;
    const std::int64_t blocks = std::int64_t{launch->grid.x} * launch->grid.y * launch->grid.z;
    const std::int64_t each =
        emulation ? 1 : std::clamp(kThreads / std::max<std::int64_t>(1, threads), std::int64_t{1}, kBlocks);
    if (blocks >= 2 * each * std::max(1, multiprocessors)) return true;
  }
  return false;
}

HARNESS_JSON(Dim3, x, y, z)
void to_json(json& to, const NamedArgument& value) {
  to = json{{"name", value.name}, {"offset", value.offset}};
  if (value.as) to["as"] = *value.as;
}
void from_json(const json& from, NamedArgument& value) {
  value = {from.at("name").get<std::string>(), from.at("offset").get<std::int64_t>(), {}};
  if (from.contains("as")) value.as = from["as"].get<Dtype>();
}
HARNESS_JSON(ScalarArgument, dtype, value)
HARNESS_JSON(Memset, target, offset, bytes, value)
HARNESS_JSON(LibraryCall, library, operation, options)
HARNESS_JSON(Workspace, name, bytes, align, zeroed)
HARNESS_JSON_DEFAULTS(BuildSpec, source_name, source, entries, defines, options, include_dirs, checked, compares,
                      constants, included, builder, uses)
HARNESS_JSON(EntryUse, entry, arguments)
void to_json(json& to, const ArgumentUse& value) {
  to = json{{"kind", value.kind}, {"dtype", value.dtype}, {"divisible", value.divisible}};
  if (value.value) to["value"] = *value.value;
}
void from_json(const json& from, ArgumentUse& value) {
  value = {from.at("kind"), from.at("dtype"), from.at("divisible"), {}};
  if (from.contains("value")) value.value = from["value"].get<std::int64_t>();
}
HARNESS_ENUM_TABLE(ParameterKind, "kind of parameter",
                   {{ParameterKind::unknown, "unknown"},
                    {ParameterKind::integer, "integer"},
                    {ParameterKind::floating, "floating"},
                    {ParameterKind::pointer, "pointer"}})
HARNESS_JSON_DEFAULTS(EntryResources, entry, registers, static_shared_bytes, spill_bytes, local_bytes, max_threads,
                      parameter_bytes, parameter_kinds, threads, shared, cluster, passes)
HARNESS_JSON_DEFAULTS(Artifact, path, key, code_hash, architecture, compiler, log, notes, entries, globals, listing,
                      from_cache, compile_s)
HARNESS_JSON_DEFAULTS(CompileFailure, log, compile_s, missing)

}  // namespace harness
