#include <fmt/format.h>

#include <algorithm>

#include "harness/core/model.h"
#include "harness/script/contract/kernel.h"

namespace harness::script {
namespace {

constexpr std::size_t kMostShapes = 1000;  // of one model in one phase: a slip in a loop makes more

/// "B=16 Hq=64 weight=80" of a table of a kernel's function. It has every field that a workload has, so that none is
/// taken from a workload that has nothing to do with the model.
ModelShape shape_of(const Reader& reader, const Workload& like) {
  ModelShape shape;
  for (const auto& [name, field] : reader.node().fields) {
    const auto value = field.value();
    if (!value) throw reader.wrong(name, "a number, a string, true or false");
    if (name == "part") {
      shape.part = to_text(*value);
      continue;
    }
    if (name != "weight" && !like.values.contains(name))
      throw reader.error(fmt::format("has '{}', which is no field of workload '{}'", name, like.name));
    shape.shape += fmt::format("{}{}={}", shape.shape.empty() ? "" : " ", name, to_text(*value));
  }
  for (const auto& [name, value] : like.values)
    if (reader.find(name) == nullptr) throw reader.error(fmt::format("misses '{}', a field of every workload", name));
  return shape;
}

}  // namespace

bool KernelManifest::has_models() const {
  return Reader(manifest_, manifest_.root(), "kernel").function("models") != nullptr;
}

std::vector<ModelShape> KernelManifest::model_shapes(const Model& model, const ModelQuestion& question) {
  const Reader kernel(manifest_, manifest_.root(), "kernel");
  const FunctionRef* const function = kernel.function("models");
  if (function == nullptr)
    throw bad_input(
        fmt::format("kernel '{}' does not say which sizes it has in a model; give its kernel.lua a function models "
                    "(kernels/README.md)",
                    name_));
  const FactsTable facts(manifest_, "model", Facts(model.facts.begin(), model.facts.end()));
  const FactsTable asked(
      manifest_, "question",
      {{"phase", Value(question.phase)}, {"batch", Value(question.batch)}, {"context", Value(question.context)}});
  const Node list = manifest_.call(*function, {&facts, &asked});
  if (!list.table || !list.fields.empty() || list.list.size() > kMostShapes)
    throw manifest_.error(function->line,
                          fmt::format("'models' must return a list of at most {} tables of sizes, not {}", kMostShapes,
                                      list.described()));
  std::vector<ModelShape> shapes;
  for (const Node& node : list.list) {
    if (!node.table) throw manifest_.error(function->line, "'models' must return tables of sizes");
    shapes.push_back(
        shape_of(Reader(manifest_, node, fmt::format("shape {} of model {}", shapes.size() + 1, model.name)),
                 workloads_.front()));
  }
  return shapes;
}

}  // namespace harness::script
