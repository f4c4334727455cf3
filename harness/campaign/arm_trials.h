#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/campaign/baselines.h"
#include "harness/campaign/context.h"
#include "harness/campaign/flights.h"
#include "harness/campaign/preparations.h"

namespace harness {

/// Evaluates what the searches of arms ask for.
class ArmTrials {
 public:
  /// `limits`: the campaign's end, where another evaluation would not fit.
  ArmTrials(CampaignContext& context, Flights& flights, Baselines& baselines, Preparations& preparations,
            std::function<Ended()> limits)
      : context_(context),
        flights_(flights),
        baselines_(baselines),
        preparations_(preparations),
        limits_(std::move(limits)) {}

  /// The arm's next ask, and what follows it: with --objective single the same configuration elsewhere, then a rival.
  Waits try_arm(DecisionRecord cause, ArmId id);
  /// What was asked before a campaign was cut short, and not answered.
  void ask_again(const ArmId& id, const Asked& open_ask) { again_.emplace_back(id, open_ask); }
  bool has_unanswered() const { return !again_.empty(); }
  Waits try_unanswered();

 private:
  Waits try_again(Asked open_ask, ArmId id);
  Waits see_elsewhere(Candidate candidate, DecisionRecord cause);
  bool is_valid_on(const Candidate& candidate, const std::string& workload) const;
  std::optional<Realized> realize_asked(Arm& arm, const Candidate& candidate);

  CampaignContext& context_;
  Flights& flights_;
  Baselines& baselines_;
  Preparations& preparations_;
  std::function<Ended()> limits_;
  std::vector<std::pair<ArmId, Asked>> again_;
};

}  // namespace harness
