#pragma once
#include "harness/core/plan.h"
#include "harness/core/strategy.h"

namespace harness {

/// How many launches a plan has and how many CTAs the widest of them. Empty: no launch of its own (a library call), or
/// one whose blocks a builder decides.
std::optional<LaunchShape> launch_shape(const Plan& plan);

}  // namespace harness
