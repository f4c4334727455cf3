#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>

#include "harness/campaign/arm_trials.h"
#include "harness/campaign/context.h"
#include "harness/campaign/predictions.h"

namespace harness {

/// Feeds a campaign what it recorded, in the order of the record, so that it is in the state in which it was left.
/// Searches must ask for what they asked for then. Throws Error(bad_input) where the record means something else today:
/// the search, a contract, a variant or its source has changed.
class Resumption {
 public:
  struct Calls {
    /// An iteration of the record; `predicted`: what its decision expected, null where that is not known.
    std::function<void(const IterationSummary&, const Prediction* predicted)> tell;
    std::function<void(const Orphan&)> orphan;
  };
  Resumption(CampaignContext& context, Predictions& predictions, ArmTrials& trials, Calls calls)
      : context_(context), predictions_(predictions), trials_(trials), calls_(std::move(calls)) {}

  void replay(const std::vector<DecisionRecord>& decisions, const std::vector<IterationSummary>& iterations);

 private:
  void begin_recorded(const AttemptRecord& attempt);
  void tell(const IterationSummary& iteration, const Prediction* predicted);
  void refuse_other_ask(const Candidate& recorded, std::int64_t iteration, const std::optional<SearchAsk>& ask) const;
  void check_unchanged(const IterationSummary& iteration) const;

  CampaignContext& context_;
  Predictions& predictions_;
  ArmTrials& trials_;
  Calls calls_;
};

}  // namespace harness
