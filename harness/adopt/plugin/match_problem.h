#pragma once
#include <map>
#include <string>

#include "harness/adopt/kernel/kernel.h"
#include "harness/adopt/kernel/problem.h"

namespace harness::adopt {

/// Which tensor of the problem each pointer of the kernel is: by name, else in their order.
using Matched = std::map<std::string, std::string>;

/// Gives the kernel's sizes the problem's values, its pointers the problem's shapes and its numbers the problem's.
/// Roles must be known (observe()). Throws Error(bad_input) where the kernel takes other tensors or no choice of axes
/// for its sizes makes its arrays as long as the problem's.
Matched match_problem(AdoptedKernel& kernel, const Problem& problem);

}  // namespace harness::adopt
