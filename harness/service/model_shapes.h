#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/core/model.h"
#include "harness/service/shell.h"

// Workloads of people who think in models, and of what a deployment calls: as the words that --workload takes.
namespace harness {

struct ModelAsked {
  std::string model;
  std::string phases;                   // separated by commas; "": all that the model has
  std::int64_t batch = 1;               // sequences
  std::optional<std::int64_t> context;  // tokens a sequence has; nothing: usual_context
};

/// Throws Error(bad_input) with the nearest name.
const Model& find_model(const std::vector<Model>& models, const std::string& name);

/// The shapes of one kernel there, with weights. Throws Error(bad_input): no such model or phase, a kernel that does
/// not say which sizes it has in a model or has none in these phases.
std::vector<ModelShape> shapes_of_model(const ModelAsked& asked, const std::string& kernel, Shell& shell);

/// A file of lines "SHAPE or WORKLOAD, CALLS", or a folder that `harness capture` wrote, whose launches of the kernel's
/// baseline count. A shape that stands there twice is called as often as both say. What a shape does not name is as on
/// `device`. Throws Error(bad_input) with file and line, also for what the kernel cannot have.
std::vector<std::string> shapes_of_mix(const std::string& path, const std::string& kernel, const std::string& device,
                                       Shell& shell);

/// What a command was asked for besides --workload: at most one of the two.
struct WorkloadWords {
  std::string workloads;  // --workload
  ModelAsked model;       // --model and what belongs to it
  std::string mix;        // --mix
};
/// The words for a campaign or an evaluation of `kernels` on `device` ("auto", "cuda:0"). Throws Error(bad_input) for
/// contradictions.
std::vector<std::string> asked_words(const WorkloadWords& asked, const std::vector<std::string>& kernels,
                                     const std::string& device, Shell& shell);

/// For `harness models`: a row a model; and one in full, with its shapes in each kernel that says which it has.
json models_here(Shell& shell);
json model_here(const ModelAsked& asked, Shell& shell);

}  // namespace harness
