#pragma once
#include "harness/adopt/kernel/answers.h"
#include "harness/adopt/kernel/kernel.h"
#include "harness/adopt/source/launch.h"

// What a kernel's signature and its launch say of its parameters.
namespace harness::adopt {

/// What each type of `kernel<...>` is: one that the host fixes, the one that its dispatch goes over, or one made from
/// that (at::acc_type<scalar_t, true>).
/// A type that nothing says is asked for: throws Error(bad_input) that names --type.
void choose_types(AdoptedKernel& kernel, const Answers& answers);
/// Throws Error(bad_input) for a parameter that is neither an array of numbers nor a number.
AdoptedParameter classify(AdoptedKernel& kernel, const Parameter& parameter);
/// Whole numbers that differ from call to call; `first`: the first launch, nullptr where there is none.
void add_sizes(AdoptedKernel& kernel, const HostLaunch* first);

/// What nobody passes may stand in the file: `float eps = 1e-5f` of a parameter or a variable, where all of that name
/// are the same.
void take_values_of_the_file(AdoptedKernel& kernel, const Source& source, const HostLaunch* first);

}  // namespace harness::adopt
