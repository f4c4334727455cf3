#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/campaign/seen_variants.h"
#include "harness/core/proposal.h"

namespace harness {

/// A request that has ended, and what came of its variant.
struct Proposed {
  ProposalRecord record;
  bool evaluated = false, passed = false, improved = false;
  double log_gain = 0;  // the sum of ln(best before / its time) of those that became a best
  double device_s = 0;  // of its evaluations
};

/// What earlier campaigns and sessions left for a kernel, read when the first request for it is made.
struct EarlierTries {
  std::vector<RecordedWinner> winners;
  std::vector<RecordedFailure> failures;
};

/// What a campaign's requests have brought so far.
struct ProposalsSoFar {
  std::vector<Proposed> ended;                  // second questions among them, in order
  std::vector<ProposalRecord> asking;           // under way, in order
  SeenVariants seen;                            // only where somebody proposes
  std::map<std::string, EarlierTries> earlier;  // by kernel
};

}  // namespace harness
