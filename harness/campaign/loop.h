#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "harness/campaign/admissions.h"
#include "harness/campaign/arm_trials.h"
#include "harness/campaign/baselines.h"
#include "harness/campaign/cards.h"
#include "harness/campaign/confirmation.h"
#include "harness/campaign/context.h"
#include "harness/campaign/flights.h"
#include "harness/campaign/outlook.h"
#include "harness/campaign/ports.h"
#include "harness/campaign/predictions.h"
#include "harness/campaign/preparations.h"
#include "harness/campaign/profiles.h"
#include "harness/campaign/proposals.h"
#include "harness/campaign/requests.h"

namespace harness {

/// One `harness run`: decide -> ask -> evaluate -> record, within budgets, until something ends it; then the winners
/// are confirmed in the time kept for that. What each part needs is kept at a desk of its own; this is the order of
/// their work.
class Campaign {
 public:
  /// `resume`: the campaign to go on with; its options must then be its recorded ones.
  Campaign(CampaignPorts ports, CampaignOptions options, std::optional<std::int64_t> resume);
  CampaignSummary run();
  /// What the strategy would do first, at most so many decisions; nothing is evaluated or recorded.
  DryRun dry_run(int decisions);

 private:
  void begin();
  void resume();
  void learn();
  Ended guarded(const std::function<Ended()>& part);
  Ended explore();
  bool may_decide();
  Ended check_limits();
  bool goal_reached() const;
  Ended step();
  Decision decide();
  void remember(const json& memory);
  DecisionRecord record(Decision decision, double decide_s);
  bool is_busy(const Decision& decision);
  Waits obey(DecisionRecord cause);
  Waits ask_for_proposal(DecisionRecord cause);
  Waits begin_workload(ArmId id, DecisionRecord cause);
  void announce_pivot(const Decision& decision);
  Ended land(std::int64_t ticket, Flight& flight, const DecisionRecord& cause);
  Ended keep(std::int64_t ticket, const Flight& flight, const DecisionRecord& cause);
  bool apply(const IterationSummary& iteration, const Prediction* predicted, const std::string& message);
  void assume(const Decision& decision);
  std::string untried_winners();
  CampaignSummary summarize(const Ending& ending);

  CampaignPorts ports_;
  CampaignOptions options_;
  DeviceInfo device_;
  CampaignState state_;
  std::unique_ptr<Strategy> strategy_;
  std::optional<std::int64_t> resume_;
  Limits limits_;
  CampaignContext context_;
  Cards cards_;
  Predictions predictions_;
  Preparations preparations_;
  Admissions admissions_;
  Flights flights_;
  Confirmation confirmation_;
  Proposals proposals_;
  Profiles profiles_;
  Requests requests_;
  Baselines baselines_;
  ArmTrials trials_;
  Outlook outlook_;
  std::optional<DecisionRecord> last_cause_;
  std::map<std::tuple<std::string, std::string, std::string>, std::optional<double>> distances_;  // kernel, from, to
};

}  // namespace harness
