#include "harness/script/plan/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "harness/core/suggest.h"
#include "harness/script/contract/sizes.h"
#include "harness/script/plan/library.h"
#include "harness/script/plan/scalars.h"
#include "harness/script/plan/tensor_maps.h"

namespace harness::script {
namespace {

constexpr std::int64_t kLargestExtent = 0x7fffffff;
constexpr std::int64_t kLargestBytes = std::int64_t{1} << 42;

/// What steps may name, gathered once a plan.
class Targets {
 public:
  Targets(const std::vector<Workspace>& workspaces, const Problem& problem)
      : workspaces_(workspaces), problem_(problem) {}

  const Workspace* workspace(const std::string& name) const {
    const auto found = std::ranges::find(workspaces_, name, &Workspace::name);
    return found == workspaces_.end() ? nullptr : &*found;
  }
  const Argument* argument(const std::string& name) const { return find_argument(problem_, name); }

  TensorMap tensor_map(const Reader& launch, const Node& node) const {
    return read_tensor_map(launch, node, problem_, workspaces_);
  }

  void require(const Reader& reader, const std::string& name) const {
    if (workspace(name) != nullptr || argument(name) != nullptr) return;
    std::vector<std::string> known;
    for (const Argument& argument : problem_.arguments) known.push_back(argument.name);
    for (const Workspace& workspace : workspaces_) known.push_back(workspace.name);
    std::string help = did_you_mean(name, known);
    if (help.empty()) help = fmt::format("; there are: {}", fmt::join(known, ", "));
    throw reader.error(fmt::format("names '{}', which is no argument and no workspace{}", name, help));
  }

 private:
  const std::vector<Workspace>& workspaces_;
  const Problem& problem_;
};

std::uint32_t read_extent(const Reader& launch, const std::string& field, const Node& node) {
  const auto extent = node.integer();
  if (extent && *extent >= 1 && *extent <= kLargestExtent) return static_cast<std::uint32_t>(*extent);
  throw launch.error(
      fmt::format("has {} in its {}; extents are whole numbers from 1 to 2^31-1", node.described(), field));
}

Dim3 read_dim(const Reader& launch, const std::string& field, bool required) {
  Dim3 dim;
  const Node* node = required ? &launch.need(field) : launch.find(field);
  if (node == nullptr) return dim;
  if (!node->table) {
    dim.x = read_extent(launch, field, *node);
    return dim;
  }
  if (node->list.empty() || node->list.size() > 3 || !node->fields.empty())
    throw launch.wrong(field, "a list of 1 to 3 numbers");
  std::uint32_t* const extents[] = {&dim.x, &dim.y, &dim.z};
  for (std::size_t i = 0; i < node->list.size(); ++i) *extents[i] = read_extent(launch, field, node->list[i]);
  return dim;
}

std::int64_t read_bytes(const Reader& reader, const std::string& field, std::int64_t absent) {
  const std::int64_t bytes = reader.whole(field, absent);
  if (bytes >= 0 && bytes <= kLargestBytes) return bytes;
  throw reader.error(fmt::format("has {} = {}; it must be 0 or more and less than 4 TiB", field, bytes));
}

std::optional<Dtype> read_element(const Reader& reader) {
  if (reader.find("as") == nullptr) return std::nullopt;
  const std::string text = reader.text("as");
  if (const auto dtype = parse_dtype(text)) return dtype;
  throw reader.error(fmt::format("has as = '{}'; types are f32, f16, s32...", text));
}

LaunchArgument read_launch_argument(const Reader& launch, const Node& node, const Targets& targets) {
  if (node.text() != nullptr) {
    targets.require(launch, *node.text());
    return NamedArgument{*node.text(), 0};
  }
  if (is_scalar_constructor(node.kind)) return read_scalar_argument(launch, node);
  if (node.kind == "tensor_map") return targets.tensor_map(launch, node);
  if (node.table && node.kind.empty()) {
    const Reader reader(launch.manifest(), node, launch.what() + ": an argument");
    reader.only({"offset", "as"}, 1);
    const std::string name =
        reader.node().list.empty() || reader.node().list[0].text() == nullptr ? "" : *node.list[0].text();
    targets.require(reader, name);
    return NamedArgument{name, read_bytes(reader, "offset", 0), read_element(reader)};
  }
  throw launch.error(fmt::format(
      "has the argument {}; write a name, {{ name, offset = bytes }}, tensor_map {{...}}, or i32(...), f32(...)",
      node.described()));
}

/// At most so many times the blocks that the device holds at once; 0: the grid is as it is written.
int read_resident(const Reader& launch) {
  constexpr std::int64_t kMost = 1024;
  if (launch.find("resident") == nullptr) return 0;
  const std::int64_t times = launch.whole("resident", 0);
  if (times >= 1 && times <= kMost) return static_cast<int>(times);
  throw launch.error(fmt::format("has resident = {}; it must be from 1 to {}", times, kMost));
}

/// when = le(w.N, 1024): a launch that other sizes do not have. Its grid may be none there.
bool is_launched(const Reader& launch) {
  const Node* const when = launch.find("when");
  if (when == nullptr) return true;
  if (const auto number = when->integer()) return *number != 0;
  return launch.flag("when", true);
}

Launch read_launch(const Reader& reader, const Targets& targets, const PlanNames& names) {
  reader.only({"entry", "when", "grid", "block", "shared", "cluster", "cooperative", "pdl", "resident", "args"});
  Launch launch;
  launch.entry = fill_in(reader.text("entry"), names.values, reader);
  launch.grid = read_dim(reader, "grid", true);
  launch.block = read_dim(reader, "block", !names.blocks_are_built);
  if (reader.find("block") == nullptr) launch.block.x = 0;
  launch.cluster = read_dim(reader, "cluster", false);
  launch.shared = read_bytes(reader, "shared", 0);
  launch.cooperative = reader.flag("cooperative", false);
  launch.pdl = reader.flag("pdl", false);
  launch.resident = read_resident(reader);
  const Node& args = reader.need("args");
  if (!args.table || !args.fields.empty()) throw reader.wrong("args", "a list");
  const Reader named(reader.manifest(), reader.node(), fmt::format("launch '{}'", launch.entry));
  for (const Node& node : args.list) launch.args.push_back(read_launch_argument(named, node, targets));
  return launch;
}

/// Clears or fills a workspace, or the storage of an output; all of it unless `bytes` says less.
Memset read_memset(const Reader& reader, const Targets& targets) {
  reader.only({"value", "bytes", "offset"}, 1);
  Memset memset;
  memset.target = reader.leading_name();
  targets.require(reader, memset.target);
  std::int64_t whole = 0;
  if (const Workspace* workspace = targets.workspace(memset.target)) whole = workspace->bytes;
  else if (const Argument* argument = targets.argument(memset.target); is_written(argument->kind)) {
    whole = span_elements(*argument) * storage_bytes(argument->dtype);
  } else {
    throw reader.error(fmt::format("writes '{}'; only workspaces and outputs may be written", memset.target));
  }
  memset.offset = read_bytes(reader, "offset", 0);
  memset.bytes = read_bytes(reader, "bytes", std::max<std::int64_t>(whole - memset.offset, 0));
  const std::int64_t value = reader.whole("value", 0);
  if (value < 0 || value > 255) throw reader.error("has a value that is no byte; it must be from 0 to 255");
  memset.value = static_cast<int>(value);
  if (memset.offset + memset.bytes > whole) {
    throw reader.error(fmt::format("reaches past the end of '{}', which has {} bytes", memset.target, whole));
  }
  return memset;
}

/// results = { o_partial = "f32" }: workspaces, and the type of their elements.
std::map<std::string, Dtype> read_results(const Reader& stage, const Targets& targets) {
  std::map<std::string, Dtype> results;
  const Node& table = stage.need("results");
  if (!table.table || !table.list.empty() || table.fields.empty())
    throw stage.wrong("results", "a table of WORKSPACE = \"type\"");
  for (const auto& [name, node] : table.fields) {
    if (targets.workspace(name) == nullptr)
      throw stage.error(fmt::format("compares '{}', which is no workspace of this variant", name));
    const auto dtype = node.text() != nullptr ? parse_dtype(*node.text()) : std::nullopt;
    if (!dtype)
      throw stage.error(fmt::format("gives '{}' the type {}; types are f32, f16, s32...", name, node.described()));
    results[name] = *dtype;
  }
  return results;
}

LibraryCall read_library_step(const Reader& reader, const Targets& targets) {
  LibraryCall call = read_library(reader);
  for (const LibraryOperand& operand : operands_of(call)) {
    targets.require(reader, operand.name);
    const Argument* argument = targets.argument(operand.name);
    if (operand.written && argument != nullptr && !is_written(argument->kind))
      throw reader.error(fmt::format("writes '{}'; only workspaces and outputs may be written", operand.name));
  }
  return call;
}

}  // namespace

std::vector<Workspace> read_workspaces(const Manifest& manifest, const Node& result, const PlanNames& names) {
  std::vector<Workspace> workspaces;
  if (!result.table || !result.fields.empty())
    throw manifest.error(result.line, "workspaces must return a list of workspace {...}");
  for (const Node& node : result.list) {
    const Reader reader(manifest, node, "workspace");
    if (node.kind != "workspace")
      throw reader.error("must be made by workspace { \"name\", bytes = ... }, not " + node.described());
    reader.only({"bytes", "align", "init"}, 1);
    Workspace workspace;
    workspace.name = reader.leading_name();
    reader.need("bytes");
    workspace.bytes = read_bytes(reader, "bytes", 0);
    workspace.align = reader.whole("align", workspace.align);
    if (workspace.align < 1 || workspace.align > 4096 ||
        !std::has_single_bit(static_cast<std::uint64_t>(workspace.align))) {
      throw reader.error(fmt::format("has align = {}; it must be a power of two up to 4096", workspace.align));
    }
    const std::string init = reader.text("init", "dirty");
    if (init != "dirty" && init != "zeroed")
      throw reader.error(fmt::format("has init = '{}'; it must be 'dirty' or 'zeroed'", init));
    workspace.zeroed = init == "zeroed";
    const bool taken = std::ranges::find(workspaces, workspace.name, &Workspace::name) != workspaces.end();
    if (taken || find_argument(names.problem, workspace.name) != nullptr) {
      throw reader.error(fmt::format("has the name '{}', which is taken", workspace.name));
    }
    workspaces.push_back(std::move(workspace));
  }
  return workspaces;
}

std::vector<Step> read_steps(const Manifest& manifest, const Node& result, const std::vector<Workspace>& workspaces,
                             const PlanNames& names) {
  const Targets targets(workspaces, names.problem);
  std::vector<Step> steps;
  if (!result.table || !result.fields.empty() || result.list.empty()) {
    throw manifest.error(result.line, "steps must return a list of launch {...}, memset {...} and library {...}");
  }
  for (const Node& node : result.list) {
    const Reader reader(manifest, node, node.kind.empty() ? "a step" : node.kind);
    if (node.kind == "launch") {
      if (!is_launched(reader)) continue;
      Launch launch = read_launch(reader, targets, names);
      // The first would overlap with what is not the plan's: the preparation, or the run before.
      if (launch.pdl && (steps.empty() || !std::holds_alternative<Launch>(steps.back())))
        throw reader.error("has pdl = true, which needs a launch right before it in the same plan");
      steps.emplace_back(std::move(launch));
    } else if (node.kind == "memset") steps.emplace_back(read_memset(reader, targets));
    else if (node.kind == "library") steps.emplace_back(read_library_step(reader, targets));
    else throw reader.error("must be launch {...}, memset {...} or library {...}, not " + node.described());
  }
  if (steps.empty())
    throw manifest.error(result.line, "steps has no launch whose 'when' holds here; say which sizes there are: where");
  return steps;
}

Stages read_stages(const Manifest& manifest, const Node& result, const Plan& plan, const PlanNames& names) {
  constexpr double kTolerance = 1e-2;
  const Targets targets(plan.workspaces, names.problem);
  Stages stages;
  if (!result.table || !result.fields.empty() || result.list.empty())
    throw manifest.error(result.line, "stages must return a list of stage {...}");
  for (const Node& node : result.list) {
    const Reader reader(manifest, node, "stage");
    if (node.kind != "stage") throw reader.error("must be made by stage { \"name\", ... }, not " + node.described());
    reader.only({"steps", "results", "tolerance", "reference"}, 1);
    Stage stage;
    stage.name = reader.leading_name();
    const std::int64_t steps = reader.whole("steps", 1);
    const std::size_t begin = stages.parts.empty() ? 0 : stages.parts.back().end;
    if (steps < 1 || begin + static_cast<std::size_t>(steps) >= plan.steps.size())
      throw reader.error(fmt::format("takes {} steps after the first {}, and the plan has {}; at least one must follow",
                                     steps, begin, plan.steps.size()));
    stage.end = begin + static_cast<std::size_t>(steps);
    stage.results = read_results(reader, targets);
    stage.tolerance = reader.number("tolerance", kTolerance);
    if (!(stage.tolerance > 0)) throw reader.error("has a tolerance that is not above 0");
    const Node& reference = reader.need("reference");
    if (reference.kind != "launch") throw reader.wrong("reference", "a launch {...} of NN_name.stages.cu");
    stage.reference = read_launch(Reader(manifest, reference, "launch"), targets, names);
    stages.parts.push_back(std::move(stage));
  }
  return stages;
}

std::vector<std::string> entries_of(const std::vector<Step>& steps) {
  std::vector<std::string> entries;
  for (const Step& step : steps) {
    const auto* launch = std::get_if<Launch>(&step);
    if (launch != nullptr && std::ranges::find(entries, launch->entry) == entries.end())
      entries.push_back(launch->entry);
  }
  return entries;
}

}  // namespace harness::script
