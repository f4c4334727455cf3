#pragma once
#include "harness/core/formula_catalog.h"
#include "harness/script/contract/kernel.h"
#include "harness/script/plan/variant.h"

namespace harness::script {

/// An expression, a number or a truth value of a traced result, as plain values. Throws std::domain_error for others.
Formula formula_of(const Node& node);

/// FormulaCatalog::formulas. Throws Error with file and line where a function does to a size what cannot be traced.
FormulaPlan formula_plan(KernelManifest& kernel, VariantManifest& variant, const Candidate& candidate,
                         const Workload& point, const DeviceInfo& device);

/// FormulaCatalog::fields.
std::vector<FieldLimits> field_limits(const KernelManifest& kernel);

}  // namespace harness::script
