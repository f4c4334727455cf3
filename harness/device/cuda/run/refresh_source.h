#pragma once
#include <string>
#include <vector>

#include "harness/core/plan.h"

namespace harness::cuda {

/// CUDA C++ of the kernels that make input sets anew and look at what launches left in them (input_sets.h). It is also
/// valid for the cpu device, where a test compares what it draws with judge::paint.
///   harness_copy(sets, pristine, refresh, ranges, count)      harness_relocate(sets, refresh, relocations, count)
///   harness_draw(sets, refresh, draws, which)                 harness_digest(sets, refresh, outputs, which, digests,
///                                                                            words)
std::string refresh_source();
extern const std::vector<std::string> kRefreshEntries;  // the four, in this order
BuildSpec refresh_build();

}  // namespace harness::cuda
