#pragma once
#include "harness/campaign/arms.h"
#include "harness/core/ledger.h"

namespace harness {

/// Writes an ended evaluation into its arm's account: counts, seconds, best, records, wrong answers. `improved`: the
/// workload's best was replaced by it. True if it is a credible record of the arm: its interval lies above that of the
/// record before.
bool account(Arm& arm, const IterationSummary& iteration, bool improved);

/// The summaries of an account that a snapshot shows: spreads, the most frequent wrong answers, dollars.
void complete_view(ArmState& view, const Arm& arm, const std::optional<double>& usd_per_hour);

}  // namespace harness
