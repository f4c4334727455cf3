#pragma once
#include <cstddef>
#include <vector>

#include "harness/adopt/kernel/kernel.h"
#include "harness/adopt/source/source.h"

namespace harness::adopt {

/// Adds each variable to the kernel behind its parameters: an input that no launch is passed, as large as it is
/// declared. `constants`: indices of declarations. Throws Error(bad_input) with one sentence for what the host does not
/// fill that way, structures, and whole numbers that are no array.
void add_constants(AdoptedKernel& kernel, const Source& source, const std::vector<std::size_t>& constants);

}  // namespace harness::adopt
