#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/campaign/confirmation.h"
#include "harness/campaign/context.h"
#include "harness/campaign/flights.h"
#include "harness/campaign/proposals.h"

namespace harness {

/// Makes what a strategy sees: the campaign's memory, its limits, the hour, what is under way and who proposes.
class Outlook {
 public:
  Outlook(CampaignContext& context, Flights& flights, const Proposals& proposals, const Confirmation& confirmation)
      : context_(context), flights_(flights), proposals_(proposals), confirmation_(confirmation) {}

  /// What came of the playbook's patterns; frozen at the start.
  void know(std::vector<PatternEvidence> evidence) { pattern_evidence_ = std::move(evidence); }
  /// An evaluation has ended just now.
  void evaluation_ended() { evaluation_ended_ = context_.ports.clock.seconds(); }
  Snapshot snapshot();

 private:
  std::optional<std::string> floor_binds(const std::string& kernel, const std::string& workload);

  CampaignContext& context_;
  Flights& flights_;
  const Proposals& proposals_;
  const Confirmation& confirmation_;
  std::vector<PatternEvidence> pattern_evidence_;
  std::optional<double> evaluation_ended_;  // when the last one did
  /// By kernel and workload. A floor is made by the same resource all along: asked of the catalog once.
  std::map<std::pair<std::string, std::string>, std::optional<std::string>> floor_binds_;
};

}  // namespace harness
