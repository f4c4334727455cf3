#pragma once
#include <string>
#include <vector>

#include "harness/campaign/arms.h"
#include "harness/core/display.h"
#include "harness/core/evaluator.h"
#include "harness/core/ledger.h"

namespace harness {

/// What a campaign spends before it chooses anything: trials of gates, what the device reaches, baselines, rivals. The
/// seconds are what such things took before on a device of this name; absent where nothing of the kind is recorded.
std::vector<Foreseen> foresee(Catalog& catalog, Evaluator& evaluator, Ledger& ledger, const Arms& arms,
                              const std::vector<std::string>& kernels, bool rivals);

}  // namespace harness
