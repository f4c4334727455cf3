#pragma once
#include "harness/core/catalog.h"
#include "harness/core/plan.h"
#include "harness/script/contract/manifest_reader.h"

namespace harness::script {

/// What the names in launches and memsets may refer to.
struct PlanNames {
  const Problem& problem;
  const std::map<std::string, Value>& values;  // what $NAME may stand for
  bool blocks_are_built = false;               // launches need no `block`: the builder says
};

/// The result of `workspaces`.
std::vector<Workspace> read_workspaces(const Manifest& manifest, const Node& result, const PlanNames& names);
/// The result of `steps`, all numbers. Throws Error at the constructor's line: an unknown argument (with the nearest
/// known one), an extent that is not a whole number above 0, a bare number among the arguments.
std::vector<Step> read_steps(const Manifest& manifest, const Node& result, const std::vector<Workspace>& workspaces,
                             const PlanNames& names);
/// The result of `stages`: parts of `plan`, in order. `build` is left to the caller.
Stages read_stages(const Manifest& manifest, const Node& result, const Plan& plan, const PlanNames& names);
/// The distinct entries of the launches, in their order.
std::vector<std::string> entries_of(const std::vector<Step>& steps);

}  // namespace harness::script
