#pragma once
#include "harness/adopt/kernel.h"
#include "harness/adopt/observe.h"

namespace harness::adopt {

/// A launch of reference.cu at a point: pointers and values in the contract's order, then the sizes. `serial`: one
/// thread does it, as a function of the host.
ObservedLaunch reference_launch(const AdoptedKernel& kernel, const Values& sizes, unsigned fill, bool serial);

}  // namespace harness::adopt
