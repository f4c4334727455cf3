#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/campaign/arms.h"
#include "harness/campaign/calibration.h"
#include "harness/core/display.h"
#include "harness/core/ledger.h"

namespace harness {

/// A passed candidate of a workload that was at some time the best, newest last.
struct Standing {
  Candidate candidate;
  std::int64_t iteration = 0;
  double time_ns = 0;
  std::optional<double> speedup, speedup_lo, speedup_hi;
  std::optional<std::int64_t> registers, spill_bytes, shared_bytes;
};

/// Of an iteration that has a time.
Standing standing_of(const IterationSummary& iteration);
/// Absolute times do not travel between cards: what was measured on another than the workload's anchor card is told as
/// that one would have shown it. A second time it changes nothing.
void tell_as_anchor(IterationSummary& iteration);
/// Whether one is faster, by what is free of the host's drift where both have it.
bool leads(const Standing& one, const Standing& other);
/// Whether what has passed takes the place of the best: by the verdict of the run in which they were timed side by
/// side, else by its time. Where something else became the best meanwhile, by their ratios to the baseline, which
/// travel between cards.
bool takes_lead(const IterationSummary& iteration, const Standing& best);
/// The verdict against a best that was found while this was timed: by the intervals of their speedups, else of two
/// times. Nothing: the best is the one that it was timed beside.
std::optional<Comparison> verdict_beside(const IterationSummary& iteration, const Standing& best);

/// A rival's configuration that was measured, or tried to be.
struct RivalRun {
  Candidate candidate;
  OutcomeKind outcome = OutcomeKind::passed;
  std::int64_t iteration = 0;
  std::optional<double> time_ns;  // where it passed
  double wall_s = 0;
  bool deterministic = true;
};

/// What is known of one workload in this campaign.
struct WorkloadBook {
  WorkloadPlan plan;
  bool baseline_tried = false;
  std::optional<double> brief_baseline_s;  // seconds of the baseline, if a few launches are all that is known of it
  std::optional<double> baseline_ns, floor_ns, limit_ns;
  std::string anchor_uuid;                // the card of its baseline: times of a fleet are told as that card shows them
  std::vector<Standing> standings;        // each faster than the one before
  std::vector<Standing> others;           // the fastest that passed and were never the best, fastest first
  std::vector<Standing> screened;         // the fastest that were screened, fastest first: right as far as was asked
  std::optional<std::int64_t> confirmed;  // iteration of the standing that was timed again and held
  std::vector<RivalRun> rivals;           // in the order in which they were tried
  std::optional<EarlierBest> earlier;     // what earlier campaigns confirmed
  std::optional<LaunchShape> launch;      // of the best,
  std::int64_t launch_of = 0;             // which this iteration found

  /// The best was timed again and held.
  bool is_confirmed() const { return !standings.empty() && confirmed == standings.back().iteration; }
  /// The best is not the baseline itself and has not been timed again yet.
  bool to_confirm() const;
  /// The fastest of the screened, if it leads all that passed; nullptr: none does.
  const Standing* best_screened() const;
  /// The fastest that passed; nullptr: none.
  const RivalRun* best_rival() const;
  /// The next to be measured. A variant's configurations are in order: after one that is unsupported come no more.
  const Candidate* next_rival() const;
};

/// The campaign's memory, built only from what is recorded: live iterations and those of a resumed campaign go the same
/// way, so a resumed campaign is in the state it was left in.
class CampaignState {
 public:
  CampaignState(Arms arms, double assumed_evaluation_s);

  /// `predicted`: what the decision that led here expected of it; null when it is not known.
  void apply(const IterationSummary& iteration, const Prediction* predicted = nullptr);
  /// Between two workloads of a kernel, absent where it is unknown. Set before anything is applied.
  std::function<std::optional<double>(const std::string& kernel, const std::string& from, const std::string& to)>
      distance = [](const auto&, const auto&, const auto&) { return std::nullopt; };
  void add_experience(const Experience& experience);
  /// The best configurations of the arm's technique on the workloads that are most like its own, nearest first.
  std::vector<EarlierResult> fastest_elsewhere(const Arm& arm);
  /// What was counted of an arm that nobody has measured on this workload. Its search is told before it begins, or with
  /// its next result; strategies see the fastest.
  void add_predicted(const PredictedStart& start);
  std::string device_name;  // as it is in earlier results
  /// One configuration for all workloads of a kernel is wanted (--objective single): the best of each workload is then
  /// that of the configuration whose weighted geometric mean of speedups is highest among those that passed everywhere.
  void seek_single() { single_ = true; }
  /// Workloads of its kernel on which the candidate must still be seen before it could be that configuration, heaviest
  /// first; empty when it has failed somewhere, or would have to beat the fastest known on all of them to win.
  std::vector<std::string> single_needs(const Candidate& candidate) const;
  /// How many launches and CTAs a candidate has on a workload; asked once for each new best. Empty: never known.
  std::function<std::optional<LaunchShape>(const Candidate&, const std::string& workload)> launch_of;
  /// The arm's next ask that is not already answered by the record; answered ones are told on the way. Where another
  /// evaluation of the arm is under way, its search goes on without the result; only one that takes_another().
  std::optional<SearchAsk> advance(Arm& arm);
  /// Whether the candidate was evaluated on the workload in this campaign.
  bool has_answer(const std::string& workload, const Candidate& candidate) const;
  /// Whether the arm's search can be asked now.
  static bool takes_another(const Arm& arm);

  Arms& arms() { return arms_; }
  std::vector<WorkloadBook>& workloads() { return workloads_; }
  WorkloadBook& workload(const std::string& kernel, const std::string& name);  // which exists
  const WorkloadBook* find_workload(const std::string& kernel, const std::string& name) const;
  /// Fills arms, workloads, recent outcomes and costs; the caller adds budgets, device and time. Takes time
  /// proportional to the arms, whatever the history. `usd_per_hour`: of the device, if it is known.
  Snapshot snapshot(const std::optional<double>& usd_per_hour);
  /// Of one that a search asked for.
  double evaluation_seconds() const;
  /// Of one that met all gates: a screened one takes less. Before one passed, of any.
  double passed_seconds() const;
  /// What all rivals so far have taken.
  double rivals_seconds() const;
  const Calibration& calibration() const { return calibration_.now(); }          // over earlier campaigns and this one
  const Calibration& own_calibration() const { return own_calibration_.now(); }  // of this campaign alone
  std::int64_t iterations() const { return iterations_; }
  const std::map<std::string, std::int64_t>& outcomes() const { return outcomes_; }
  std::vector<BestRow> best() const;
  /// The weighted geometric mean of the speedups over the baselines, of one kernel, or of all (""). A workload on which
  /// nothing has passed counts as 1; absent where nothing has passed anywhere.
  std::optional<double> score(const std::string& kernel = "") const;
  /// Iterations of a kernel and their wall seconds, whatever they were for.
  std::pair<std::int64_t, double> spent_on(const std::string& kernel) const;
  /// What was found of a candidate on a workload; the last one counts.
  void add_profile(const std::string& workload, const Candidate& candidate, const Profile& profile);
  /// nullptr: it was not profiled.
  const Profile* find_profile(const std::string& workload, const Candidate& candidate) const;
  std::optional<ArmId> current;

 private:
  void add_elsewhere(ArmState& arm, const std::vector<Evidence>& evidence) const;
  void tell_what_others_know(const WorkloadBook& book);
  std::vector<EarlierResult> news_from_others(Arm& arm);
  void tell(Arm& arm, const IterationSummary& iteration);
  void apply_to_arm(Arm& arm, const IterationSummary& iteration, bool improved, const Prediction* predicted);
  void sit(Arm& arm, const IterationSummary& iteration, const Prediction* predicted);
  bool promote(WorkloadBook& book, const IterationSummary& iteration);
  bool promote_single(const IterationSummary& iteration);
  std::optional<double> single_score(const Candidate& candidate) const;
  void apply_rival(WorkloadBook& book, const IterationSummary& iteration);
  void apply_confirmation(WorkloadBook& book, const IterationSummary& iteration);
  void learn_launches(WorkloadBook& book);
  void learn_launches(Arm& arm);
  std::vector<TechniqueState> techniques(const std::optional<double>& usd_per_hour) const;
  Arms arms_;
  std::vector<WorkloadBook> workloads_;
  std::map<std::string, SearchResult> answers_;  // by workload, variant and configuration
  std::map<std::string, std::int64_t> outcomes_;
  std::map<std::string, std::pair<std::int64_t, double>> spent_on_;  // by kernel
  std::vector<std::string> recent_;
  std::int64_t iterations_ = 0;
  double assumed_evaluation_s_, baselines_s_ = 0, evaluated_s_ = 0, passed_s_ = 0;
  double build_s_ = 0, gates_s_ = 0, timing_s_ = 0, since_passed_s_ = 0;
  std::int64_t baselines_ = 0, evaluated_ = 0, passed_ = 0;
  std::optional<Sitting> sitting_;
  bool single_ = false;
  /// By candidate, then by workload: its standing there; empty where it did not pass.
  std::map<std::string, std::map<std::string, std::optional<Standing>>> seen_;
  std::map<std::pair<std::string, std::string>, double> fastest_;  // best ln(speedup) of a kernel's workload
  std::map<std::pair<std::string, std::string>, TechniqueEvidence> earlier_techniques_;  // by kernel and technique
  CalibrationBook calibration_, own_calibration_;
  std::map<std::string, Profile> profiles_;  // by workload, variant and configuration, kernel in front
};

/// A live evaluation in the words of the record, so that both are applied the same way.
IterationSummary summarize_iteration(std::int64_t iteration, const AttemptRecord& attempt,
                                     const Evaluation& evaluation);

}  // namespace harness
