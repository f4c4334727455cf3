#pragma once
#include "harness/adopt/kernel/kernel.h"

namespace harness::adopt {

/// What the host's branches say of the sizes, once these are known. Of one launch: they are those of its branch. Of
/// several: at least one is made; and sizes are observed on both sides of what a branch compares them with. Throws
/// Error(bad_input) where several launches depend on what no size says.
void settle_branches(AdoptedKernel& kernel);

/// Conditions on one size alone become its range and its step, where they say no more than that.
void narrow_by_conditions(AdoptedKernel& kernel);

}  // namespace harness::adopt
