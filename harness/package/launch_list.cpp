#include "harness/package/launch_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/core/match.h"
#include "harness/core/printable.h"

namespace harness::package {
namespace {

json extents(const Dim3& dim) {
  return {dim.x, dim.y, dim.z};
}

std::string extents_text(const Dim3& dim) {
  return fmt::format("{} x {} x {}", dim.x, dim.y, dim.z);
}

json named_json(const NamedArgument& passed, const Problem& problem) {
  json object = {{"name", passed.name}, {"offset_bytes", passed.offset}};
  const Argument* argument = find_argument(problem, passed.name);
  if (argument == nullptr) {
    object["kind"] = "workspace";
    return object;
  }
  object["kind"] = argument->kind;
  object["dtype"] = name(argument->dtype);
  object["shape"] = argument->shape;
  object["absent"] = argument->absent;
  if (argument->value) object["value"] = *argument->value;
  return object;
}

json argument_json(const LaunchArgument& argument, const Problem& problem) {
  return std::visit(Match{[&](const NamedArgument& named) { return named_json(named, problem); },
                          [](const ScalarArgument& scalar) {
                            return json{{"dtype", name(scalar.dtype)}, {"value", scalar.value}};
                          },
                          [](const TensorMap& map) {
                            return json{{"tensor_map", map}};
                          }},
                    argument);
}

std::string tensor_text(const Argument& argument) {
  return fmt::format("{} {} [{}]", argument.absent ? "absent" : name(argument.kind), name(argument.dtype),
                     fmt::join(argument.shape, ", "));
}

std::string named_text(const NamedArgument& passed, const Problem& problem) {
  const Argument* argument = find_argument(problem, passed.name);
  std::string text = passed.name + ": ";
  if (argument == nullptr) text += "workspace";
  else if (argument->kind == ArgumentKind::structure)
    text += fmt::format("structure of {} bytes", argument->struct_bytes);
  else if (argument->value) text += fmt::format("scalar {} = {}", name(argument->dtype), to_text(*argument->value));
  else text += tensor_text(*argument);
  if (passed.offset != 0) text += fmt::format(", from byte {}", passed.offset);
  return text;
}

std::string map_text(const TensorMap& map) {
  return fmt::format("tensor map of {}: {} [{}], strides [{}], box [{}], swizzle {}", map.of, name(map.dtype),
                     fmt::join(map.shape, ", "), fmt::join(map.strides, ", "), fmt::join(map.box, ", "), map.swizzle);
}

std::string argument_text(const LaunchArgument& argument, const Problem& problem) {
  return std::visit(Match{[&](const NamedArgument& named) { return named_text(named, problem); },
                          [](const ScalarArgument& scalar) {
                            return fmt::format("{} {}", name(scalar.dtype), to_text(scalar.value));
                          },
                          [](const TensorMap& map) { return map_text(map); }},
                    argument);
}

std::string attributes_text(const Launch& launch) {
  std::string text;
  if (launch.cooperative) text += ", cooperative";
  if (launch.pdl) text += ", programmatic dependent launch";
  if (launch.resident > 0)
    text += fmt::format(", grid.x at most {} times the blocks that the device holds at once", launch.resident);
  return text;
}

void add_launch(std::vector<std::string>& lines, const Launch& launch, const Problem& problem) {
  lines.push_back(comment(fmt::format("launch {}", launch.entry)));
  lines.push_back(comment(fmt::format("  grid {}, block {}, cluster {}, {} bytes of dynamic shared memory{}",
                                      extents_text(launch.grid), extents_text(launch.block),
                                      extents_text(launch.cluster), launch.shared, attributes_text(launch))));
  for (std::size_t i = 0; i < launch.args.size(); ++i)
    lines.push_back(comment(fmt::format("  argument {}: {}", i + 1, argument_text(launch.args[i], problem))));
}

}  // namespace

json launches_json(const Realized& realized) {
  json list = json::array();
  for (std::size_t i = 0; i < realized.plan.steps.size(); ++i) {
    const auto* launch = std::get_if<Launch>(&realized.plan.steps[i]);
    if (launch == nullptr) continue;
    json arguments = json::array();
    for (const LaunchArgument& argument : launch->args) arguments.push_back(argument_json(argument, realized.problem));
    list.push_back({{"step", i + 1},
                    {"entry", launch->entry},
                    {"grid", extents(launch->grid)},
                    {"block", extents(launch->block)},
                    {"cluster", extents(launch->cluster)},
                    {"shared_bytes", launch->shared},
                    {"cooperative", launch->cooperative},
                    {"pdl", launch->pdl},
                    {"resident", launch->resident},
                    {"arguments", std::move(arguments)}});
  }
  return list;
}

json other_steps_json(const Realized& realized) {
  json memsets = json::array(), library = json::array();
  for (std::size_t i = 0; i < realized.plan.steps.size(); ++i) {
    if (const auto* memset = std::get_if<Memset>(&realized.plan.steps[i])) {
      memsets.push_back(*memset);
      memsets.back()["step"] = i + 1;
    } else if (const auto* call = std::get_if<LibraryCall>(&realized.plan.steps[i])) {
      library.push_back(*call);
      library.back()["step"] = i + 1;
    }
  }
  json listing = {{"memsets", memsets}, {"library", library}, {"workspaces", realized.plan.workspaces}};
  if (!realized.plan.constants.empty()) listing["constants"] = realized.plan.constants;
  return listing;
}

std::vector<std::string> plan_comments(const Realized& realized) {
  std::vector<std::string> lines;
  for (const Workspace& workspace : realized.plan.workspaces)
    lines.push_back(comment(fmt::format("workspace {}: {} bytes, {} before each call", workspace.name, workspace.bytes,
                                        workspace.zeroed ? "zeroed" : "of any content")));
  for (const ConstantTable& table : realized.plan.constants)
    lines.push_back(comment(fmt::format("__constant__ {}: holds '{}' before each call", table.symbol, table.from)));
  for (const Step& step : realized.plan.steps)
    std::visit(Match{[&](const Launch& launch) { add_launch(lines, launch, realized.problem); },
                     [&](const Memset& memset) {
                       lines.push_back(comment(fmt::format("memset {} from byte {}: {} bytes of {}", memset.target,
                                                           memset.offset, memset.bytes, memset.value)));
                     },
                     [&](const LibraryCall& call) {
                       lines.push_back(comment(fmt::format("library call: {} {}", call.library, call.operation)));
                     }},
               step);
  return lines;
}

std::string comment(const std::string& text) {
  std::string line = "// " + printable(text, Lines::one);
  while (line.ends_with('\\') || line.ends_with(' ') || line.ends_with('/')) {
    if (!line.ends_with(' ')) {
      line += '.';  // "??/" is a backslash in C++14
      break;
    }
    line.pop_back();
  }
  return line;
}

}  // namespace harness::package
