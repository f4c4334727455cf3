#pragma once
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "harness/campaign/failed_sources.h"
#include "harness/campaign/options.h"
#include "harness/campaign/state.h"
#include "harness/core/clock.h"
#include "harness/core/display.h"
#include "harness/core/evaluator.h"
#include "harness/core/ledger.h"
#include "harness/core/playbook.h"
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
  Playbook* playbook = nullptr;       // none: strategies get no evidence of patterns
  double before_s = 0;                // what the process had spent when the campaign was made: counted as its own
};

/// One `harness run`: decide -> ask -> evaluate -> record, within budgets, until something ends it; then the winners
/// are confirmed in the time kept for that.
class Campaign {
 public:
  /// `resume`: the campaign to go on with; its options must then be its recorded ones.
  Campaign(CampaignPorts ports, CampaignOptions options, std::optional<std::int64_t> resume);
  CampaignSummary run();
  /// What the strategy would do first, at most so many decisions; nothing is evaluated or recorded.
  DryRun dry_run(int decisions);

 private:
  struct Ending {
    EndReason reason;
    std::string message;
  };
  using Ended = std::optional<Ending>;

  void begin();
  void measure_device();
  Ended admit_kernels();
  void leave_out(const std::string& kernel, const std::string& why);
  void replay_record();
  void tell_recorded(const IterationSummary& iteration, const Prediction* predicted);
  void check_unchanged(const IterationSummary& iteration);
  void add_experience();
  void add_pattern_evidence();
  std::optional<std::string> floor_binds(const std::string& kernel, const std::string& workload);
  std::optional<LaunchShape> launch_of(const Candidate& candidate, const std::string& workload);
  bool goal_reached() const;
  Ended guarded(const std::function<Ended()>& part);
  Ended explore();
  Ended step();
  Ended check_limits();
  Ended obey(const DecisionRecord& taken);
  Ended try_arm(const DecisionRecord& taken, Arm& arm);
  Ended see_elsewhere(const Candidate& candidate, const DecisionRecord& taken);
  bool is_valid_on(const Candidate& candidate, const std::string& workload);
  Ended confirm_winners();
  Ended confirm(WorkloadBook& book);
  Ended confirm_best(WorkloadBook& book);
  Ended complete_baseline(WorkloadBook& book);
  Ended reconsider_screened(WorkloadBook& book, const DecisionRecord& taken);
  bool affords(double seconds);
  Ended begin_workload(WorkloadBook& book, const DecisionRecord& taken);
  Ended evaluate_baseline(WorkloadBook& book, const DecisionRecord& taken);
  Ended measure_rival(WorkloadBook& book, const DecisionRecord& taken);
  Ended follow_with_rival(WorkloadBook& book, const DecisionRecord& taken);
  Ended measure_missing_rivals(const Ending& ending);
  struct Work {
    Realized realized;
    Purpose purpose;
    std::int64_t ask = 0;    // number of it within its arm; 0: not asked by a search
    bool all_gates = false;  // it may be a best, whatever its time: it is not screened
    bool confirms() const { return purpose == Purpose::confirm; }
  };
  Ended evaluate(const Work& work, const DecisionRecord& taken);
  double slow_baseline_s() const;
  EvaluationRequest request_for(const Work& work, WorkloadBook& book);
  void tell_earlier();
  bool wants_exact_times(const ArmId& id);
  std::optional<Incumbent> incumbent_for(const Work& work, WorkloadBook& book);
  void prepare_ahead(const Arm& arm, const SearchAsk& ask);
  void prepare_first();
  void add_next_asks(std::vector<Realized>& next);
  Realized realize_of(const ArmId& id, const std::string& variant, const Config& config);
  void link_fingerprint(const Candidate& candidate, Evaluation& evaluation);
  void charge_gates(double seconds);
  void say(const std::string& doing, const std::string& phase = "");
  Decision decide();
  DecisionRecord record(Decision decision, double decide_s);
  void assume(const Decision& decision);
  void announce_pivot(const Decision& decision);
  Snapshot snapshot();
  CampaignSummary summarize(const Ending& ending);
  std::vector<Foreseen> foreseen();
  double spent_seconds() const;
  std::optional<double> budget_left() const;
  std::optional<double> spent_usd() const;
  double reserve_seconds();

  CampaignPorts ports_;
  CampaignOptions options_;
  DeviceInfo device_;
  CampaignState state_;
  std::unique_ptr<Strategy> strategy_;
  std::optional<std::int64_t> resume_;
  std::int64_t campaign_ = 0;
  double started_ = 0, spent_before_ = 0, busy_s_ = 0, assumed_s_ = 0;
  double confirm_s_ = 0;                    // the longest confirmation so far
  std::optional<double> evaluation_ended_;  // when the last one did
  std::map<std::pair<std::string, std::string>, std::optional<std::string>> floor_binds_;  // by kernel and workload
  std::set<std::string> hinted_;                   // what searches have announced: each is prepared once
  std::vector<PatternEvidence> pattern_evidence_;  // frozen at the start
  std::map<std::string, Admission> admissions_;    // by kernel
  std::map<std::string, double> gates_s_;          // by kernel
  std::map<std::string, std::string> left_out_;    // by kernel: why
  FailedSources failed_sources_;
  std::optional<DecisionRecord> last_taken_;
  std::map<std::string, int> machine_falls_;  // by attempt_key
};

}  // namespace harness
