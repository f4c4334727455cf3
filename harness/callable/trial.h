#pragma once
#include "harness/callable/line.h"
#include "harness/core/admission.h"
#include "harness/core/contract.h"

namespace harness::callable {

/// What the caller's comparison of a launch is made by: for each output its tolerance in a form of the inputs, and how
/// far rows, elements and a common factor may be off (judge/tolerance.h).
json comparisons_of(const Problem& problem, const Admission& admission, const std::string& form);

/// The forms of the inputs that the admission found usable, "nominal" first.
std::vector<std::string> usable_forms(const Admission& admission);

/// The gates on trial: the caller measures the error of its baseline and that of an impostor one precision lower in
/// each form, tolerances follow, and every spoiled output must be refused. Forms that are not begun after `forms_s` are
/// left out. Throws CallerGone.
Admission try_gates(const Problem& problem, const std::string& hash, const DeviceInfo& device, double forms_s,
                    Line& line);

}  // namespace harness::callable
