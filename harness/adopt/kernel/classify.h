#pragma once
#include "harness/adopt/kernel/kernel.h"
#include "harness/adopt/source/launch.h"

// What a kernel's signature and its launch say of its parameters.
namespace harness::adopt {

/// What each type of `kernel<...>` is: one that the host fixes, the one that its dispatch goes over, or one made from
/// that (at::acc_type<scalar_t, true>).
void choose_types(AdoptedKernel& kernel);
/// Throws Error(bad_input) for a parameter that is neither an array of numbers nor a number.
AdoptedParameter classify(AdoptedKernel& kernel, const Parameter& parameter);
/// Whole numbers that differ from call to call; `first`: the first launch, nullptr where there is none.
void add_sizes(AdoptedKernel& kernel, const FoundLaunch* first);

}  // namespace harness::adopt
