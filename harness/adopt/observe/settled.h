#pragma once
#include <set>
#include <string>

#include "harness/adopt/observe/observing.h"

// What follows for a kernel once its arrays are understood: conditions, and numbers that are no sizes.
namespace harness::adopt {

/// Symbols of all shapes and strides.
std::set<std::string> used_by_arrays(const AdoptedKernel& kernel);

/// Rows with a distance of their own (a pitch, a leading dimension) do not lie one in another: what is written there
/// would depend on which thread is last.
void keep_rows_apart(AdoptedKernel& kernel);

/// Launch sizes that no pointer depends on are settings of the launch.
void freeze_settings(AdoptedKernel& kernel, Seen& seen);

/// A whole number that neither an array nor a launch depends on counts something that each thread does. Beside the
/// extents it multiplies the work, which nothing here sees: large values of both would take hours.
void limit_counts(AdoptedKernel& kernel, Seen& seen);

/// Where elements for each block follow its threads, they are tried with another number of these: the kernel may count
/// on the number that the launch has.
void settle_grid(const Observing& observing);

}  // namespace harness::adopt
