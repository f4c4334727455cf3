#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "harness/campaign/options.h"
#include "harness/campaign/state.h"
#include "harness/core/clock.h"
#include "harness/core/display.h"
#include "harness/core/evaluator.h"
#include "harness/core/ledger.h"
#include "harness/core/strategy.h"

namespace harness {

/// The outside of a campaign, all ports: the loop is tested with fakes of each.
struct CampaignPorts {
  Catalog& catalog;
  ScriptLibrary& scripts;
  Evaluator& evaluator;
  Ledger& ledger;
  Display& display;
  Clock& clock;
  std::function<bool()> stop;         // true after Ctrl-C
  json environment = json::object();  // host, driver, git revision...: recorded once
};

/// One `harness run`: decide -> ask -> evaluate -> record, within budgets, until something ends it; then the winners
/// are confirmed in the time kept for that.
class Campaign {
 public:
  /// `resume`: the campaign to go on with; its options must then be its recorded ones.
  Campaign(CampaignPorts ports, CampaignOptions options, std::optional<std::int64_t> resume);
  CampaignSummary run();
  /// What the strategy would do first, with its table; nothing is evaluated or recorded.
  Decision dry_run();

 private:
  struct Ending {
    std::string reason, message;
  };
  using Ended = std::optional<Ending>;

  void begin();
  void measure_device();
  Ended admit_kernels();
  void replay_record();
  void tell_recorded(const IterationSummary& iteration);
  void check_unchanged(const IterationSummary& iteration);
  void add_evidence();
  bool goal_reached() const;
  Ended guarded(const std::function<Ended()>& part);
  Ended explore();
  Ended step();
  Ended check_limits();
  Ended obey(const Decision& decision, std::int64_t decision_id);
  Ended try_arm(const Decision& decision, std::int64_t decision_id, Arm& arm);
  Ended confirm_winners();
  Ended confirm(WorkloadBook& book);
  Ended evaluate_baseline(WorkloadBook& book, const Decision& decision, std::int64_t decision_id);
  struct Work {
    Realized realized;
    std::string purpose;
    std::int64_t ask = 0;
    bool confirm = false;
  };
  Ended evaluate(const Work& work, const Decision& decision, std::int64_t decision_id);
  std::optional<Incumbent> incumbent_for(const Work& work, WorkloadBook& book);
  void prepare_ahead(const Arm& arm, const SearchAsk& ask);
  void link_fingerprint(const Candidate& candidate, Evaluation& evaluation);
  void charge_gates(double seconds);
  void say(const std::string& doing);
  Decision decide();
  void announce_pivot(const Decision& decision);
  Snapshot snapshot();
  CampaignSummary summarize(const Ending& ending);
  double spent_seconds() const;
  std::optional<double> spent_usd() const;
  double reserve_seconds();
  template <typename Call>
  auto stored(Call call) -> decltype(call());

  CampaignPorts ports_;
  CampaignOptions options_;
  DeviceInfo device_;
  CampaignState state_;
  std::unique_ptr<Strategy> strategy_;
  std::optional<std::int64_t> resume_;
  std::int64_t campaign_ = 0;
  double started_ = 0, spent_before_ = 0, busy_s_ = 0;
  double confirm_s_ = 0;                         // the longest confirmation so far
  std::map<std::string, Admission> admissions_;  // by kernel
  std::map<std::string, int> orphan_tries_;      // by attempt_key
};

}  // namespace harness
