#pragma once
#include "harness/adopt/kernel/kernel.h"
#include "harness/adopt/observe/subject.h"
#include "harness/core/observation.h"

namespace harness::adopt {

/// Chooses how floating inputs are drawn where normal numbers would prove little: those that make results NaN where
/// they are negative (a variance) are drawn from [0, 1), and those that one launch changes by less than their last bits
/// (the parameters of an optimizer) are drawn so small that the change shows. Tried by running; `kernel` must be
/// observed.
void choose_draws(AdoptedKernel& kernel, const Subject& subject, Observer& observer, Seen& seen);

/// What a launch begins with (launch_at) as the chosen draws would have it.
std::shared_ptr<const std::vector<std::byte>> drawn_content(
    const AdoptedParameter& parameter, const std::shared_ptr<const std::vector<std::byte>>& content);

}  // namespace harness::adopt
