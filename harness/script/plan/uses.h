#pragma once
#include <vector>

#include "harness/core/contract.h"
#include "harness/core/plan.h"

namespace harness::script {

/// What a builder may count on of the arguments of each entry: types, and how far addresses and integers are divisible,
/// up to 16, which is what launchers of such languages look at. Where launches of one entry differ, what holds of all.
std::vector<EntryUse> uses_of(const Plan& plan, const Problem& problem);

}  // namespace harness::script
