#include "harness/service/model_shapes.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/suggest.h"
#include "harness/service/arguments.h"

namespace harness {
namespace {

void refuse_phase(const Model& model, const std::string& phase) {
  if (std::ranges::find(model.phases, phase) != model.phases.end()) return;
  throw bad_input(fmt::format("model '{}' has no phase '{}'; it has: {}{}", model.name, phase,
                              fmt::join(model.phases, ", "), did_you_mean(phase, model.phases)));
}

std::vector<ModelShape> shapes_in_phases(const Model& model, const ModelAsked& asked, KernelFormulas& kernel) {
  const std::vector<std::string> phases = asked.phases.empty() ? model.phases : split_commas(asked.phases);
  std::vector<ModelShape> shapes;
  for (const std::string& phase : phases) {
    refuse_phase(model, phase);
    const ModelQuestion question{phase, asked.batch, asked.context.value_or(usual_context(model, phase))};
    for (ModelShape& shape : kernel.model_shapes(model, question)) {
      shape.part = phases.size() == 1 || shape.part.empty() ? (shape.part.empty() ? phase : shape.part)
                                                            : phase + " " + shape.part;
      shapes.push_back(std::move(shape));
    }
  }
  return shapes;
}

json shape_rows(const std::vector<ModelShape>& shapes, const std::string& kernel) {
  json rows = json::array();
  for (const ModelShape& shape : shapes)
    rows.push_back({{"kernel", kernel}, {"part", shape.part}, {"shape", shape.shape}});
  return rows;
}

}  // namespace

const Model& find_model(const std::vector<Model>& models, const std::string& name) {
  const auto known = std::ranges::find(models, name, &Model::name);
  if (known != models.end()) return *known;
  std::vector<std::string> names;
  for (const Model& model : models) names.push_back(model.name);
  const std::string meant = did_you_mean(name, names);
  throw bad_input(fmt::format("there is no model '{}'{}", name, meant.empty() ? "; harness models lists them" : meant));
}

std::vector<ModelShape> shapes_of_model(const ModelAsked& asked, const std::string& kernel, Shell& shell) {
  const Places places = shell.places();
  const std::vector<Model> models = shell.rooms.models(places);
  const Model& model = find_model(models, asked.model);
  std::vector<ModelShape> shapes = shapes_in_phases(model, asked, shell.rooms.formula_catalog(places)->plugin(kernel));
  if (shapes.empty())
    throw bad_input(fmt::format("kernel '{}' has no shape in the phase {} of model '{}'", kernel,
                                asked.phases.empty() ? fmt::format("{}", fmt::join(model.phases, ", ")) : asked.phases,
                                model.name));
  return shapes;
}

std::vector<std::string> asked_words(const WorkloadWords& asked, const std::vector<std::string>& kernels,
                                     const std::string& device, Shell& shell) {
  const bool by_model = !asked.model.model.empty(), by_mix = !asked.mix.empty();
  if (!by_model && (!asked.model.phases.empty() || asked.model.batch != 1 || asked.model.context))
    throw bad_input("--phase, --batch and --context belong to --model NAME; harness models lists them");
  if (by_model + by_mix + !asked.workloads.empty() > 1)
    throw bad_input("--workload, --model and --mix each say which workloads there are; give one of them");
  if (!by_model && !by_mix) return split_commas(asked.workloads);
  if (kernels.size() != 1)
    throw bad_input(
        fmt::format("{} needs one kernel: their sizes have different names", by_model ? "--model" : "--mix"));
  if (by_mix) return shapes_of_mix(asked.mix, kernels.front(), device, shell);
  std::vector<std::string> words;
  for (const ModelShape& shape : shapes_of_model(asked.model, kernels.front(), shell)) words.push_back(shape.shape);
  return words;
}

json models_here(Shell& shell) {
  json rows = json::array();
  for (const Model& model : shell.rooms.models(shell.places())) {
    json row = {{"name", model.name}, {"phases", model.phases}, {"source", model.source}, {"note", model.note}};
    for (const auto& [name, value] : model.facts) row[name] = value_to_json(value);
    rows.push_back(std::move(row));
  }
  return rows;
}

json model_here(const ModelAsked& asked, Shell& shell) {
  const Places places = shell.places();
  const std::vector<Model> models = shell.rooms.models(places);
  const Model& model = find_model(models, asked.model);
  json row = {{"name", model.name}, {"phases", model.phases}, {"source", model.source},
              {"note", model.note}, {"file", model.file},     {"shapes", json::array()}};
  for (const auto& [name, value] : model.facts) row[name] = value_to_json(value);
  const auto catalog = shell.rooms.formula_catalog(places);
  for (const std::string& kernel : catalog->kernel_names()) {
    try {
      FormulaKernel& plugin = catalog->plugin(kernel);
      if (!plugin.has_models()) continue;
      const json shapes = shape_rows(shapes_in_phases(model, asked, plugin), kernel);
      row["shapes"].insert(row["shapes"].end(), shapes.begin(), shapes.end());
    } catch (const Error& error) {  // a broken plugin hides no other
      shell.note(error.what());
    }
  }
  return row;
}

}  // namespace harness
