#include "harness/script/plan/tensor_maps.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/suggest.h"

namespace harness::script {
namespace {

std::vector<std::int64_t> read_whole_numbers(const Reader& reader, const std::string& field, const Node& list) {
  std::vector<std::int64_t> numbers;
  if (!list.table || !list.fields.empty() || list.list.empty()) throw reader.wrong(field, "a list of whole numbers");
  for (const Node& node : list.list) {
    const auto number = node.integer();
    if (!number) throw reader.wrong(field, "a list of whole numbers");
    numbers.push_back(*number);
  }
  return numbers;
}

Dtype read_element_type(const Reader& reader) {
  const std::string text = reader.text("dtype");
  if (const auto dtype = parse_dtype(text)) return *dtype;
  throw reader.error(fmt::format("has the dtype '{}'; types are f32, f16, bf16...", text));
}

/// What the map is of, as the contract or the workspace declares it.
TensorMap declared(const Reader& reader, const Problem& problem, const std::vector<Workspace>& workspaces) {
  TensorMap map;
  map.of = reader.leading_name();
  const Argument* argument = find_argument(problem, map.of);
  if (argument != nullptr && !argument->shape.empty() && argument->kind != ArgumentKind::pointers) {
    map.dtype = argument->dtype;
    map.shape = argument->shape;
    map.strides = argument->strides;
    return map;
  }
  if (std::ranges::find(workspaces, map.of, &Workspace::name) != workspaces.end()) return map;
  std::vector<std::string> known;
  for (const Argument& each : problem.arguments) known.push_back(each.name);
  for (const Workspace& each : workspaces) known.push_back(each.name);
  throw reader.error(fmt::format("names '{}', which is no tensor{}", map.of, did_you_mean(map.of, known)));
}

}  // namespace

TensorMap read_tensor_map(const Reader& launch, const Node& node, const Problem& problem,
                          const std::vector<Workspace>& workspaces) {
  const Reader reader(launch.manifest(), node, launch.what() + ": a tensor_map");
  reader.only({"box", "swizzle", "promotion", "shape", "strides", "dtype"}, 1);
  TensorMap map = declared(reader, problem, workspaces);
  if (map.shape.empty() || reader.find("dtype") != nullptr) map.dtype = read_element_type(reader);
  if (map.shape.empty() || reader.find("shape") != nullptr) {
    map.shape = read_whole_numbers(reader, "shape", reader.need("shape"));
    map.strides = contiguous_strides(map.shape);
  }
  if (const Node* strides = reader.find("strides")) map.strides = read_whole_numbers(reader, "strides", *strides);
  map.box = read_whole_numbers(reader, "box", reader.need("box"));
  map.swizzle = reader.text("swizzle", "none");
  map.promotion = reader.text("promotion", "none");
  if (const std::string problem_of_it = tensor_map_problem(map); !problem_of_it.empty())
    throw reader.error(problem_of_it);
  return map;
}

}  // namespace harness::script
