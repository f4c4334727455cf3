#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/campaign/arms.h"
#include "harness/core/display.h"
#include "harness/core/ledger.h"

namespace harness {

/// A passed candidate of a workload that was at some time the best, newest last.
struct Standing {
  Candidate candidate;
  std::int64_t iteration = 0;
  double time_ns = 0;
  std::optional<double> speedup;
};

/// What is known of one workload in this campaign.
struct WorkloadBook {
  WorkloadPlan plan;
  bool baseline_tried = false;
  std::optional<double> baseline_ns, floor_ns;
  std::vector<Standing> standings;        // each faster than the one before
  std::optional<std::int64_t> confirmed;  // iteration of the standing that was timed again and held

  /// The best is not the baseline itself and has not been timed again yet.
  bool to_confirm() const;
};

/// The campaign's memory, built only from what is recorded: live iterations and those of a resumed campaign go the same
/// way, so a resumed campaign is in the state it was left in.
class CampaignState {
 public:
  CampaignState(Arms arms, double assumed_evaluation_s);

  void apply(const IterationSummary& iteration);
  void add_evidence(const std::vector<Evidence>& evidence);
  /// The arm's next ask that is not already answered by the record; answered ones are told on the way.
  std::optional<SearchAsk> advance(Arm& arm);

  Arms& arms() { return arms_; }
  std::vector<WorkloadBook>& workloads() { return workloads_; }
  WorkloadBook& workload(const std::string& kernel, const std::string& name);  // which exists
  const WorkloadBook* find_workload(const std::string& kernel, const std::string& name) const;
  /// Fills arms, workloads, recent outcomes and costs; the caller adds budgets, device and time.
  Snapshot snapshot();
  double evaluation_seconds() const;
  std::int64_t iterations() const { return iterations_; }
  const std::map<std::string, std::int64_t>& outcomes() const { return outcomes_; }
  std::vector<BestRow> best() const;
  std::optional<double> score() const;
  std::optional<ArmId> current;

 private:
  void apply_to_arm(Arm& arm, const IterationSummary& iteration, bool improved);
  bool promote(WorkloadBook& book, const IterationSummary& iteration);
  Arms arms_;
  std::vector<WorkloadBook> workloads_;
  std::map<std::string, SearchResult> answers_;  // by workload, variant and configuration
  std::map<std::string, std::int64_t> outcomes_;
  std::vector<std::string> recent_;
  std::int64_t iterations_ = 0;
  double assumed_evaluation_s_, evaluated_s_ = 0;
  std::int64_t evaluated_ = 0;
};

/// A live evaluation in the words of the record, so that both are applied the same way.
IterationSummary summarize_iteration(std::int64_t iteration, const AttemptRecord& attempt,
                                     const Evaluation& evaluation);

}  // namespace harness
