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
#include "harness/campaign/task.h"
#include "harness/core/clock.h"
#include "harness/core/diagnoser.h"
#include "harness/core/display.h"
#include "harness/core/evaluator.h"
#include "harness/core/fleet.h"
#include "harness/core/ledger.h"
#include "harness/core/playbook.h"
#include "harness/core/predictor.h"
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
  std::function<bool()> stop;          // true after Ctrl-C
  json environment = json::object();   // host, driver, git revision...: recorded once
  Playbook* playbook = nullptr;        // none: strategies get no evidence of patterns
  double before_s = 0;                 // what the process had spent when the campaign was made: counted as its own
  Proposer* proposer = nullptr;        // none: nobody proposes variants
  Profiler* profiler = nullptr;        // none: nothing is profiled
  Diagnoser* diagnoser = nullptr;      // none: profiles have no diagnosis
  Fleet* fleet = nullptr;              // none: the evaluator's device is the only one
  Predictor* predictor = nullptr;      // none: nothing is predicted before it is measured
  std::function<void()> between = {};  // called often, and after each evaluation that was recorded
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
  using Waits = Task<Ended>;  // waits for evaluations; several of these are under way at once in a fleet

  struct Work {
    Realized realized;
    Purpose purpose;
    std::int64_t ask = 0;                     // number of it within its arm; 0: not asked by a search
    bool all_gates = false;                   // it may be a best, whatever its time: it is not screened
    std::optional<std::size_t> but_not = {};  // rather on another device than this
    std::optional<std::size_t> only = {};     // rather on this one
    double incumbent_ns = 0;  // of what it is timed beside, on the workload's anchor card; 0: beside nothing
    bool confirms() const { return purpose == Purpose::confirm; }
  };

  void begin();
  void measure_device();
  Ended admit_kernels();
  void leave_out(const std::string& kernel, const std::string& why);
  void replay_record();
  void tell_recorded(const IterationSummary& iteration, const Prediction* predicted);
  void replay_iterations(const std::map<std::int64_t, const Prediction*>& predictions);
  void begin_recorded(const AttemptRecord& attempt);
  void refuse_other_ask(const Candidate& recorded, std::int64_t iteration, const std::optional<SearchAsk>& ask);
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
  Waits obey(DecisionRecord taken);
  Waits try_arm(DecisionRecord taken, ArmId id);
  Waits try_again(Asked asked, ArmId id);
  Waits see_elsewhere(Candidate candidate, DecisionRecord taken);
  bool is_valid_on(const Candidate& candidate, const std::string& workload);
  Ended confirm_winners();
  Waits confirm(WorkloadBook& book);
  Waits confirm_again(WorkloadBook& book, Work work, DecisionRecord taken);
  Waits confirm_best(WorkloadBook& book);
  Waits complete_baseline(WorkloadBook& book);
  Waits reconsider_screened(WorkloadBook& book, DecisionRecord taken);
  bool affords(double seconds);
  Waits begin_workload(WorkloadBook& book, DecisionRecord taken);
  Waits evaluate_baseline(WorkloadBook& book, DecisionRecord taken);
  Waits measure_rival(WorkloadBook& book, DecisionRecord taken);
  Waits follow_with_rival(WorkloadBook& book, DecisionRecord taken);
  Waits measure_missing_rivals(Ending ending);
  Waits evaluate(Work work, DecisionRecord taken);
  // What is under way (in_flight.cpp).
  /// An evaluation on a device.
  struct Flight {
    std::size_t device = 0;
    Work work;
    AttemptRecord attempt;
    std::string alone_key;                 // of its incumbent's own time on this card; "" without one
    double alone_ns = 0;                   // that time, as it was known when this began
    std::optional<Evaluation> evaluation;  // it has ended
    std::coroutine_handle<> waiting;       // goes on then
  };
  /// Which device an evaluation would have: rather not one, or one alone as long as it lives.
  struct Wish {
    std::optional<std::size_t> but_not, only;
  };
  /// An evaluation that waits for a device to be free.
  struct Queued {
    Wish wish;
    std::optional<std::size_t> device;  // what it was given; nothing: none is left
    std::coroutine_handle<> waiting;
  };
  struct DeviceFree;
  struct Landed;
  Fleet& fleet();
  bool in_fleet() const { return ports_.fleet != nullptr && ports_.fleet->devices().size() > 1; }
  std::optional<std::size_t> free_device(Wish wish = {});
  bool any_device_left();
  bool may_decide();
  bool under_way(const std::string& kernel, const std::string& workload, Purpose purpose) const;
  AttemptRecord attempt_of(const Work& work, const DecisionRecord& taken, std::size_t device);
  void take_off(std::int64_t ticket, Flight flight);
  Ended keep(std::int64_t ticket, const Work& work, const AttemptRecord& attempt, const Evaluation& evaluation,
             const DecisionRecord& taken);
  void tell_progress(const Work& work);
  bool is_busy(const Decision& decision);
  double held_seconds() const;
  static AttemptRecord attempt_of(const IterationSummary& iteration);
  Ended land(std::int64_t ticket, Flight& flight, const DecisionRecord& taken);
  Ended start(Waits task);
  Ended finish(Waits task);
  Ended finish_next();
  Ended reap();
  std::optional<FleetAnswer> next_answer();
  void serve_queue();
  Ended drain(Ending ending);
  void abandon_flights();
  void show_pending(Snapshot& snapshot);
  void to_anchor(const Work& work, std::size_t device, Evaluation& evaluation);
  // Cards (cards.cpp).
  void take_card_checks();
  void hold_to_record(Incumbent& incumbent, Flight& flight);
  void remember_alone(const IterationSummary& iteration);
  void take_alone(const Flight& flight);
  void doubt_outlier(std::size_t device, double over_anchor);
  double cards_left();
  double usd_per_held_hour() const;
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
  // What is predicted before it is measured (predicting.cpp).
  void begin_predicting();
  bool awaits_prediction(const Arm& arm) const;
  void tell_recorded_predictions();
  void take_predictions();
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
  Waits ask_for_proposal(DecisionRecord taken);
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
  std::map<std::int64_t, PredictedStart> predicting_;  // under way, by ticket
  std::vector<PredictedStart> to_tell_;                // recorded ones, of which the campaign was not told yet
  double profiles_s_ = 0;                              // of all profiles so far
  double profile_s_ = 2;                               // what the next one is taken to take
  bool profiles_off_ = false;                          // something is missing
  bool told_no_profile_ = false;
  std::map<std::string, int> machine_falls_;  // by attempt_key
  std::map<std::string, int> nodes_lost_;     // by attempt_key: nodes that were lost with it
  std::unique_ptr<Fleet> lone_;               // where there is no fleet
  std::map<std::int64_t, Flight> flights_;    // by attempt
  std::vector<Queued*> queue_;                // the first one first; each lives in its coroutine
  std::vector<Waits> tasks_;
  std::vector<std::pair<ArmId, Asked>> again_;  // asked before a campaign was cut short, and not answered
  std::int64_t last_iteration_ = 0;
  std::size_t landed_on_ = 0;  // the device of the evaluation that ended last
  bool cancelled_ = false;
  std::map<std::string, double> alone_ns_;  // by card, workload and candidate: its own time there
  std::map<std::size_t, std::vector<double>>
      over_anchor_;                     // by device: the newest of its pairs' times over the anchor's
  std::vector<Proposed> proposals_;     // second questions among them, in order
  std::vector<ProposalRecord> asking_;  // requests under way, in order
  std::int64_t last_number_ = 0;        // of a request
  ProposerHistory proposer_history_;    // frozen at the start
  /// By kernel: the normal_hash of each source that earlier campaigns evaluated, and its source_hash. Read when the
  /// first proposal for the kernel comes.
  std::map<std::string, std::map<std::string, std::string>> older_sources_;
  int failures_in_a_row_ = 0;         // requests that brought no reply
  double agent_usd_ = 0;              // of all proposals, as far as it is known
  std::map<std::string, Seen> seen_;  // by kernel, workload and variant; only where somebody proposes
  std::vector<std::pair<std::string, const Seen*>> seen_in_order_;
};

}  // namespace harness
