#include "harness/adopt/plugin/contract.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/adopt/observe/draws.h"
#include "harness/adopt/observe/phase.h"
#include "harness/adopt/plugin/lua_text.h"
#include "harness/adopt/plugin/reference_source.h"
#include "harness/adopt/plugin/references.h"
#include "harness/core/error.h"

namespace harness::adopt {
namespace {

void refuse_idle(const AdoptedKernel& kernel) {
  const bool writes = std::ranges::any_of(kernel.parameters, [](const AdoptedParameter& parameter) {
    return parameter.kind == Param::pointer && parameter.role != "input";
  });
  if (!writes)
    throw bad_input(fmt::format("'{}' never wrote anything at the sizes that were tried; nothing can be compared",
                                kernel.shown_name()));
}

/// Sizes for which a block of the launches, or of the reference's in double, would need more dynamic shared memory than
/// there is are none of the domain.
void add_shared_conditions(AdoptedKernel& kernel, bool wide) {
  constexpr double kSharedOfBlock = 227 << 10;  // bytes of dynamic shared memory that a block may have
  for (const LaunchShape* launch : kernel.launches()) {
    FormulaPtr shared = with(launch->shared, first_values(kernel));
    if (shared->kind == Op::number) continue;
    if (wide) shared = formula(Op::multiply, {shared, number(static_cast<double>(wide_factor(kernel)))});
    const FormulaPtr fits = where_made(*launch, formula(Op::le, {shared, number(kSharedOfBlock)}));
    if (std::ranges::none_of(kernel.conditions,
                             [&](const Condition& condition) { return equal(*condition.formula, *fits); }))
      kernel.conditions.push_back({fits, "so that a block has enough shared memory"});
  }
}

}  // namespace

Contract contract_of(const Declared& declared, const DeviceSource& device, const Observed& observed,
                     const Subject& subject, Observer& observer, const SeenKernel& seen) {
  Contract contract{observed.kernel, {}, observed.seen};
  AdoptedKernel& kernel = contract.kernel;
  refuse_idle(kernel);
  Matched matched;
  if (declared.options.problem) matched = match_problem(kernel, *declared.options.problem);
  std::string reference = declared.options.reference;
  if (seen)
    if (const std::string proposed = seen(kernel, matched); reference.empty()) reference = proposed;
  phase(subject.say, "how inputs are drawn", [&] { choose_draws(kernel, subject, observer, contract.seen); });
  add_shared_conditions(kernel, reference != "self");  // before workloads are chosen, and recorded for
  References references(kernel, declared.source, device, subject, observer);
  phase(subject.say, "its reference", [&] { contract.reference = references.choose(reference); });
  if (!references.note.empty()) contract.seen.notes.push_back(references.note);
  return contract;
}

}  // namespace harness::adopt
