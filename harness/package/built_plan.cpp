#include "harness/package/built_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"

namespace harness::package {
namespace {

/// What must hold of a whole number for the module to be the one of this launch.
void require(std::vector<Formula>& conditions, const FormulaPlan& plan, const FormulaLaunchArgument& argument,
             const ArgumentUse& use) {
  if (const auto* const named = std::get_if<FormulaPointer>(&argument)) {
    const auto declared = std::ranges::find(plan.arguments, named->name, &FormulaArgument::name);
    const bool given = declared != plan.arguments.end() && declared->kind == ArgumentKind::scalar;
    if (given && !is_floating(declared->dtype) && (use.value || use.divisible > 1))
      throw bad_input(
          fmt::format("its module counts on the value of '{}', which whoever calls a package gives; pass it "
                      "as a scalar of the launch",
                      named->name));
    return;
  }
  const auto* const scalar = std::get_if<FormulaScalar>(&argument);
  if (scalar == nullptr || is_floating(scalar->dtype)) return;
  if (use.value) conditions.push_back({{"eq", {scalar->value, *use.value}}});
  else if (use.divisible > 1) conditions.push_back({{"divisible", {scalar->value, use.divisible}}});
}

FormulaLaunch built_launch(FormulaLaunch launch, const EntryResources& entry) {
  if (launch.block[0] == Formula(0)) {  // the builder's to say
    launch.block[0] = entry.threads;
    launch.shared = entry.shared;
  }
  if (entry.cluster > 1) {
    launch.cluster = {entry.cluster, 1, 1};
    launch.grid[0] = {{"*", {launch.grid[0], entry.cluster}}};
  }
  if (entry.passes.empty()) return launch;
  std::vector<FormulaLaunchArgument> passed;
  for (const int argument : entry.passes) {
    if (argument == kNullArgument) passed.emplace_back(FormulaPointer{});
    else if (argument >= 0 && static_cast<std::size_t>(argument) < launch.args.size())
      passed.push_back(launch.args[static_cast<std::size_t>(argument)]);
    else throw bad_input(fmt::format("'{}' takes an argument that its launch does not have", launch.entry));
  }
  launch.args = std::move(passed);
  return launch;
}

}  // namespace

FormulaPlan with_built(FormulaPlan plan, const std::vector<EntryResources>& entries) {
  std::vector<Formula> conditions{plan.valid};
  for (FormulaStep& step : plan.steps) {
    auto* const launch = std::get_if<FormulaLaunch>(&step);
    if (launch == nullptr) continue;
    const auto entry = std::ranges::find(entries, launch->entry, &EntryResources::entry);
    if (entry == entries.end()) throw bad_input(fmt::format("the module has no entry '{}'", launch->entry));
    const auto use = std::ranges::find(plan.build.uses, launch->entry, &EntryUse::entry);
    for (std::size_t i = 0; use != plan.build.uses.end() && i < std::min(launch->args.size(), use->arguments.size());
         ++i)
      require(conditions, plan, launch->args[i], use->arguments[i]);
    *launch = built_launch(std::move(*launch), *entry);
  }
  if (conditions.size() > 1) plan.valid = {{"all_of", conditions}};
  return plan;
}

}  // namespace harness::package
