#include "harness/evaluate/gates.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/gates.h"
#include "harness/core/gpu.h"
#include "harness/core/hash.h"

namespace harness {
namespace {

constexpr std::int64_t kPointerBytes = 8;

std::int64_t argument_bytes(const LaunchArgument& argument, const Problem& problem) {
  if (const auto* scalar = std::get_if<ScalarArgument>(&argument)) return storage_bytes(scalar->dtype);
  if (std::holds_alternative<TensorMap>(argument)) return kTensorMapBytes;
  const Argument* declared = find_argument(problem, std::get<NamedArgument>(argument).name);
  if (declared == nullptr) return kPointerBytes;  // a workspace
  if (declared->kind == ArgumentKind::scalar) return storage_bytes(declared->dtype);
  if (declared->kind == ArgumentKind::structure) return declared->struct_bytes;
  if (declared->kind == ArgumentKind::tensor_map) return kTensorMapBytes;
  return kPointerBytes;
}

std::string argument_label(const LaunchArgument& argument) {
  if (const auto* scalar = std::get_if<ScalarArgument>(&argument)) return std::string(name(scalar->dtype)) + " scalar";
  if (const auto* map = std::get_if<TensorMap>(&argument)) return "a tensor map of '" + map->of + "'";
  return "'" + std::get<NamedArgument>(argument).name + "'";
}

/// What the argument is, as far as a compiled parameter can contradict it.
ParameterKind kind_of_argument(const LaunchArgument& argument, const Problem& problem) {
  const auto kind_of_scalar = [](Dtype dtype) {
    if (dtype == Dtype::f32 || dtype == Dtype::f64) return ParameterKind::floating;
    return is_floating(dtype) ? ParameterKind::unknown : ParameterKind::integer;
  };
  if (const auto* scalar = std::get_if<ScalarArgument>(&argument)) return kind_of_scalar(scalar->dtype);
  if (std::holds_alternative<TensorMap>(argument)) return ParameterKind::unknown;
  const Argument* declared = find_argument(problem, std::get<NamedArgument>(argument).name);
  if (declared == nullptr) return ParameterKind::pointer;  // a workspace
  if (declared->kind == ArgumentKind::scalar) return kind_of_scalar(declared->dtype);
  if (declared->kind == ArgumentKind::structure || declared->kind == ArgumentKind::tensor_map)
    return ParameterKind::unknown;
  return ParameterKind::pointer;
}

/// The bytes of one would be read as the other: 1 becomes 1.4e-45. A pointer may be handed over as an integer of its
/// size, because a cubin does not tell these two apart.
bool contradicts(ParameterKind given, ParameterKind compiled) {
  if (given == ParameterKind::unknown || compiled == ParameterKind::unknown || given == compiled) return false;
  return given == ParameterKind::floating || compiled == ParameterKind::floating ||
         (given == ParameterKind::integer && compiled == ParameterKind::pointer);
}

std::string_view kind_in_words(ParameterKind kind) {
  if (kind == ParameterKind::floating) return "a floating-point number";
  return kind == ParameterKind::pointer ? "a pointer" : "an integer";
}

std::string argument_problem(const Launch& launch, const Problem& problem, const EntryResources& compiled) {
  if (launch.args.size() != compiled.parameter_bytes.size())
    return fmt::format("{} takes {} parameters and is given {}", launch.entry, compiled.parameter_bytes.size(),
                       launch.args.size());
  for (std::size_t i = 0; i < launch.args.size(); ++i) {
    const std::int64_t given = argument_bytes(launch.args[i], problem);
    if (given != compiled.parameter_bytes[i])
      return fmt::format("{}: parameter {} has {} bytes and is given {} ({} bytes)", launch.entry, i + 1,
                         compiled.parameter_bytes[i], argument_label(launch.args[i]), given);
    if (i >= compiled.parameter_kinds.size()) continue;
    const ParameterKind kind = kind_of_argument(launch.args[i], problem);
    if (contradicts(kind, compiled.parameter_kinds[i]))
      return fmt::format("{}: parameter {} is {} and is given {}, whose bits would be read as something else",
                         launch.entry, i + 1, kind_in_words(compiled.parameter_kinds[i]),
                         argument_label(launch.args[i]));
  }
  return "";
}

std::string resource_problem(const Launch& launch, const EntryResources* compiled, const DeviceInfo& device) {
  const std::int64_t threads = std::int64_t{launch.block.x} * launch.block.y * launch.block.z;
  const std::int64_t limit = std::min(device.max_threads_per_block, compiled != nullptr ? compiled->max_threads : 1024);
  if (threads < 1 || threads > limit) {
    const char* const whose = limit < device.max_threads_per_block ? " (its __launch_bounds__ or its registers)" : "";
    return fmt::format("{}: a block of {} threads, the limit is {}{}", launch.entry, threads, limit, whose);
  }
  if (std::int64_t{launch.grid.x} * launch.grid.y * launch.grid.z < 1) return launch.entry + ": an empty grid";
  const Dim3 &grid = launch.grid, &cluster = launch.cluster;
  if (cluster.x < 1 || cluster.y < 1 || cluster.z < 1 || grid.x % cluster.x || grid.y % cluster.y || grid.z % cluster.z)
    return fmt::format("{}: a grid of {} x {} x {} blocks is no multiple of its cluster of {} x {} x {}", launch.entry,
                       grid.x, grid.y, grid.z, cluster.x, cluster.y, cluster.z);
  const std::int64_t shared = launch.shared + (compiled != nullptr ? compiled->static_shared_bytes : 0);
  if (shared > device.max_shared_bytes)
    return fmt::format("{}: {} bytes of shared memory a block, the device has {}", launch.entry, shared,
                       device.max_shared_bytes);
  if (compiled != nullptr && compiled->registers * threads > block_registers(device))
    return fmt::format("{}: {} registers x {} threads exceed the {} of a multiprocessor", launch.entry,
                       compiled->registers, threads, block_registers(device));
  return "";
}

template <typename Check>
GateResult over_launches(const std::string& name, const Plan& plan, const std::string& good, Check check) {
  for (const Step& step : plan.steps) {
    const auto* launch = std::get_if<Launch>(&step);
    if (launch == nullptr) continue;
    if (std::string problem = check(*launch); !problem.empty()) return {name, false, problem};
  }
  return {name, true, good};
}

}  // namespace

GateResult check_entries(const Plan& plan, const Artifact& artifact) {
  for (const Step& step : plan.steps) {
    const auto* launch = std::get_if<Launch>(&step);
    if (launch != nullptr && find_entry(artifact, launch->entry) == nullptr)
      return {name_of(gate::entries), false, fmt::format("the module has no entry {}", launch->entry)};
  }
  return {name_of(gate::entries), true, fmt::format("{} found", artifact.entries.size())};
}

GateResult check_state(const Artifact& artifact, const Problem& problem, bool refuse) {
  if (artifact.globals.empty()) return {name_of(gate::state), true, "no writable variable outlives a launch"};
  const std::string names = fmt::format("{}", fmt::join(artifact.globals, ", "));
  const auto granted = problem.policy.find("globals");
  if (granted != problem.policy.end())
    return {name_of(gate::state), true, fmt::format("{} granted: {}", names, granted->second)};
  if (!refuse) return {name_of(gate::state), true, fmt::format("marked: {} outlive a launch", names)};
  return {name_of(gate::state), false,
          fmt::format("{} would keep state between launches; keep it in a workspace, or grant 'globals' in the "
                      "contract's policy with a reason",
                      names)};
}

GateResult check_arguments(const Realized& realized, const Artifact& artifact) {
  int compared = 0;
  GateResult result =
      over_launches(name_of(gate::arguments), with_built(realized.plan, artifact), "", [&](const Launch& launch) {
        const EntryResources* compiled = find_entry(artifact, launch.entry);
        if (compiled == nullptr || (compiled->parameter_bytes.empty() && !launch.args.empty())) return std::string();
        ++compared;
        return argument_problem(launch, realized.problem, *compiled);
      });
  if (result.passed) result.detail = fmt::format("sizes agree in {} launches", compared);
  return result;
}

GateResult check_resources(const Realized& realized, const Artifact& artifact, const DeviceInfo& device) {
  std::string used;
  if (const auto heaviest = heaviest_entry(artifact); heaviest && heaviest->registers > 0)
    used = fmt::format("{} registers, {} bytes spilled", heaviest->registers, heaviest->spill_bytes);
  return over_launches(name_of(gate::resources), with_built(realized.plan, artifact), used, [&](const Launch& launch) {
    return resource_problem(launch, find_entry(artifact, launch.entry), device);
  });
}

std::optional<EntryResources> heaviest_entry(const Artifact& artifact) {
  const auto heaviest = std::max_element(artifact.entries.begin(), artifact.entries.end(),
                                         [](const auto& a, const auto& b) { return a.registers < b.registers; });
  if (heaviest == artifact.entries.end()) return std::nullopt;
  return *heaviest;
}

std::string binary_identity(const Artifact& artifact, const Plan& plan) {
  return sha256_hex(artifact.code_hash + json_text(with_built(plan, artifact)));
}

namespace {

std::string extents(const Dim3& dim) {
  if (dim.y == 1 && dim.z == 1) return fmt::format("{}", dim.x);
  return dim.z == 1 ? fmt::format("{}x{}", dim.x, dim.y) : fmt::format("{}x{}x{}", dim.x, dim.y, dim.z);
}

std::string step_text(const Launch& launch) {
  std::string text = fmt::format("{} grid {}{} block {}", launch.entry, launch.resident > 0 ? "at most " : "",
                                 extents(launch.grid), extents(launch.block));
  if (launch.cluster != Dim3{}) text += " cluster " + extents(launch.cluster);
  if (launch.shared > 0) text += fmt::format(" shared {} B", launch.shared);
  if (launch.cooperative) text += " cooperative";
  if (launch.pdl) text += " may begin before the one before it ends";
  return text;
}
std::string step_text(const Memset& memset) {
  return fmt::format("memset {} {} B", memset.target, memset.bytes);
}
std::string step_text(const LibraryCall& call) {
  return call.library + " " + call.operation;
}

}  // namespace

std::string launches_text(const Artifact& artifact, const Plan& plan) {
  constexpr std::size_t kMost = 20;
  const Plan built = with_built(plan, artifact);
  std::string text;
  for (std::size_t at = 0; at < std::min(built.steps.size(), kMost); ++at)
    text += (at > 0 ? "\n" : "") + std::visit([](const auto& step) { return step_text(step); }, built.steps[at]);
  if (built.steps.size() > kMost) text += fmt::format("\nand {} more", built.steps.size() - kMost);
  return text;
}

}  // namespace harness
