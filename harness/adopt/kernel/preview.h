#pragma once
#include <string>

#include "harness/adopt/kernel/kernel.h"

namespace harness::adopt {

/// What a launch of the kernel would be at two points, beside the line of the file that says it: a person sees whether
/// it is theirs, before anything is tried.
std::string launch_preview(const AdoptedKernel& kernel);

}  // namespace harness::adopt
