#pragma once
#include "harness/adopt/kernel/kernel.h"
#include "harness/adopt/observe/subject.h"
#include "harness/core/observation.h"

namespace harness::adopt {

/// The kernel of reference.cu that stands for launch `i` of the original.
std::string reference_entry(std::size_t i);

/// A launch of reference.cu at a point: pointers and values in the contract's order, then the sizes. `serial`: one
/// thread does it, as a function of the host.
ObservedLaunch reference_launch(const AdoptedKernel& kernel, const Values& sizes, unsigned fill, bool serial);

}  // namespace harness::adopt
