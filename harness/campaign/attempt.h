#pragma once
#include <string>

#include "harness/core/ledger.h"

namespace harness {

// So often the machine went down while a candidate was evaluated before it is recorded as crashed.
inline constexpr int kMachineFallsBeforeCrash = 2;

/// What is being tried, for recognizing an attempt that has ended the harness, or a node, before.
std::string attempt_key(const AttemptRecord& record);

/// The same of an evaluation that has ended.
std::string attempt_key(const IterationSummary& iteration);

/// A baseline's speedup over itself is 1.
void be_its_own_baseline(Outcome& outcome);

}  // namespace harness
