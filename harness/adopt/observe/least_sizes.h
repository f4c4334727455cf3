#pragma once
#include <string>

#include "harness/adopt/kernel/kernel.h"
#include "harness/adopt/observe/subject.h"
#include "harness/core/observation.h"

namespace harness::adopt {

/// A variance of two elements, a loss of one class: at the smallest sizes sums may cancel to nothing, and what is left
/// is the rounding of whoever made them. No tolerance tells an honest kernel from a wrong one there. So where the
/// original is far from `reference` (its own source in double) at such sizes and close to it elsewhere, the least of
/// one size is raised until it is not. "", or a sentence: it is so, and no size alone mends it.
std::string raise_least_sizes(AdoptedKernel& kernel, const Subject& subject, Observer& observer,
                              const std::string& reference);

}  // namespace harness::adopt
