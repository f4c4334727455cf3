#pragma once
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "harness/campaign/failed_sources.h"
#include "harness/campaign/options.h"
#include "harness/campaign/proposal_reply.h"
#include "harness/campaign/proposal_request.h"
#include "harness/campaign/state.h"
#include "harness/core/clock.h"
#include "harness/core/diagnoser.h"
#include "harness/core/display.h"
#include "harness/core/evaluator.h"
#include "harness/core/ledger.h"
#include "harness/core/playbook.h"
#include "harness/core/profiler.h"
#include "harness/core/proposal.h"
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
  Proposer* proposer = nullptr;       // none: nobody proposes variants
  Profiler* profiler = nullptr;       // none: nothing is profiled
  Diagnoser* diagnoser = nullptr;     // none: profiles have no diagnosis
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
  // Profiles (profiling.cpp).
  void profile(const Work& work, const IterationSummary& iteration, bool new_best);
  bool may_profile(const Work& work);
  void find_profile(const Work& work, const IterationSummary& iteration);
  void keep_profile(const Work& work, std::int64_t iteration, const Profile& profile);
  void stop_profiling(const Work& work, std::int64_t iteration, const std::string& why, bool for_good);
  void restore_profiles(const std::vector<IterationSummary>& iterations);
  double brief_baseline_s() const;
  EvaluationRequest request_for(const Work& work, WorkloadBook& book);
  void tell_earlier();
  bool wants_exact_times(const ArmId& id);
  std::optional<Incumbent> incumbent_for(const Work& work, WorkloadBook& book);
  void prepare_ahead(const Arm& arm, const SearchAsk& ask);
  void prepare_first();
  bool learns_from_others(const Arm& arm);
  std::optional<Realized> likely_first(const Arm& arm);
  void prepare_begin(const WorkloadBook& book);
  void add_next_asks(std::vector<Realized>& next);
  // Proposals (propose.cpp).
  struct Proposed {
    ProposalRecord record;
    bool evaluated = false, passed = false, improved = false;
    double log_gain = 0;
  };
  /// What is known of a variant on a workload.
  struct Seen {
    std::string kernel, workload;
    Candidate candidate;
    std::int64_t iteration = 0;
    std::string outcome, message, fingerprint;
    std::optional<double> time_ns, speedup;
    std::optional<std::int64_t> registers, spill_bytes, shared_bytes;
  };
  bool may_still_be_proposed();
  bool proposer_is_ready();
  bool can_pay_request();
  std::optional<double> next_request_usd() const;
  ProposerState proposer_state();
  Ended ask_for_proposal(const DecisionRecord& taken);
  void send_request(ProposalRecord record, const std::string& wrong, const std::string& last_reply,
                    const std::vector<std::int64_t>& pages);
  std::string request_for_proposal(const ProposalRecord& record, const std::string& wrong,
                                   const std::string& last_reply, const std::vector<std::int64_t>& pages);
  RequestParent request_parent(const ArmId& arm, const std::string& variant);
  void note_seen(const IterationSummary& iteration, const std::string& message);
  void note_proposed(const IterationSummary& iteration, std::optional<double> best_before, bool new_best);
  const ProposalRecord* proposal_of(const Candidate& candidate) const;
  bool new_source(const ProposalRecord& record);
  void take_proposal(double patience_s);
  bool waits_for_proposal(const Ending& ending);
  void drop_requests();
  static void take_over(ProposalRecord& record, const ProposalRecord& recorded);
  void judge_reply(ProposalRecord& record, const ProposerAnswer& answer);
  std::optional<ReplyProblem> make_variant(ProposalRecord& record, const ProposalReply& reply);
  bool find_twin(ProposalRecord& record, bool same_manifest);
  std::string fate_of(ProposalRecord& record) const;
  TwinQuery twin_query(const std::string& kernel);
  std::optional<RecordedTwin> find_older_twin(const ProposalRecord& record, bool same_manifest);
  std::optional<ReplyProblem> take_in(const ProposalRecord& record, const std::string& technique);
  void finish_proposal(ProposalRecord record);
  void add_proposed(ProposalRecord record);
  void restore_proposals();
  Realized realize_of(const ArmId& id, const std::string& variant, const Config& config);
  void link_fingerprint(const Candidate& candidate, Evaluation& evaluation);
  Evaluation judged(const Work& work, WorkloadBook& book);
  std::string parent_hash(const ProposalRecord& proposal);
  template <typename Call>
  auto of_arm(Arm& arm, Call call) -> std::optional<typename decltype(call())::value_type>;
  std::optional<SearchAsk> next_ask(Arm& arm);
  std::optional<Realized> realize_asked(Arm& arm, const Candidate& candidate);
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
  std::map<std::tuple<std::string, std::string, std::string>, std::optional<double>> distances_;  // kernel, from, to
  double profiles_s_ = 0;      // of all profiles so far
  double profile_s_ = 2;       // what the next one is taken to take
  bool profiles_off_ = false;  // something is missing
  bool told_no_profile_ = false;
  std::map<std::string, int> machine_falls_;  // by attempt_key
  std::vector<Proposed> proposals_;           // second questions among them, in order
  std::vector<ProposalRecord> asking_;        // requests under way, in order
  std::int64_t last_number_ = 0;              // of a request
  ProposerHistory proposer_history_;          // frozen at the start
  /// By kernel: the normal_hash of each source that earlier campaigns evaluated, and its source_hash. Read when the
  /// first proposal for the kernel comes.
  std::map<std::string, std::map<std::string, std::string>> older_sources_;
  int failures_in_a_row_ = 0;         // requests that brought no reply
  double agent_usd_ = 0;              // of all proposals, as far as it is known
  std::map<std::string, Seen> seen_;  // by kernel, workload and variant; only where somebody proposes
  std::vector<std::pair<std::string, const Seen*>> seen_in_order_;
};

}  // namespace harness
