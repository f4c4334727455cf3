#pragma once
#include <string>
#include <vector>

#include "harness/adopt/plugin/patch.h"

namespace harness::adopt {

/// The files that change where the winner runs on the sizes that it was measured on, and the original everywhere else:
/// each launch of the kernel asks first. A winner of other constants or other lines is a second kernel, in a namespace
/// in front of the function that launches it. Throws Error(bad_input) with one sentence for what cannot be said so.
std::vector<PatchedFile> patched_for_sizes(const Winner& winner);

/// "rows=128, cols=64": what the winner was measured on.
std::string sizes_measured(const Winner& winner);

}  // namespace harness::adopt
