#pragma once
#include "harness/script/space/constraint.h"

namespace harness::script {

/// The Error for a space that `constraint` empties. It names the one parameter for which another value would be
/// allowed, with that value ("add a value such as 4"); nothing is blamed when no single parameter, or several, would
/// do.
Error impossible_space(VariantManifest& variant, const Workload& workload, Constraint& constraint);

}  // namespace harness::script
