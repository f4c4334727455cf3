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

/// A candidate of an earlier campaign, and its time there.
struct Earlier {
  Candidate candidate;
  std::string workload;
  double time_ns = 0;
};

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
  /// What earlier campaigns found to be the fastest of the workload on such a device, if it can be tried here and is
  /// not the baseline: all of the record that passed and failed nowhere since. The arms' searches know of it.
  std::optional<Earlier> fastest_before(const WorkloadBook& book);
  /// Evaluates it, whatever its search would ask for first: the answer is kept for that.
  Waits try_again_first(Earlier earlier, DecisionRecord cause);
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
