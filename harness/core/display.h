#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/ledger.h"
#include "harness/core/playbook.h"
#include "harness/core/proposal.h"

// What a campaign tells whoever watches: a terminal, a stream of JSON lines, a test.
namespace harness {

/// What a campaign does before it chooses anything, and the seconds that it is expected to take; absent: unknown.
struct Foreseen {
  std::string what;  // "spot-checking the gates of softmax, which were tried elsewhere"
  std::optional<double> seconds;
};

struct CampaignStarted {
  std::int64_t campaign = 0;
  CampaignRecord record;
  bool resumed = false;
  std::size_t workloads = 0, arms = 0;
  std::vector<std::string> notes;  // variants left out, and why
  std::vector<Foreseen> ahead;
};

/// An evaluation was begun on a device; IterationEnded with the same attempt ends it.
struct EvaluationBegun {
  std::int64_t attempt = 0;               // its id in the record
  const AttemptRecord* record = nullptr;  // valid during the call
};

/// What the evaluation under way does now: "build", "gates", "timing", "confirmation, build"...
struct EvaluationPhase {
  std::string name;
  std::optional<double> deadline_s;  // from now on, after which it is given up; absent: none of its own
};

struct IterationEnded {
  std::int64_t iteration = 0;
  AttemptRecord attempt;
  const Evaluation* evaluation = nullptr;  // valid during the call
  std::optional<Decision> decision;        // absent: eval
  std::string device;
  bool confirmed = false;
  bool new_best = false;
  std::int64_t attempt_id = 0;  // EvaluationBegun's attempt; 0: it was told of no beginning
};

/// Another arm was chosen, or the arm `to` was left for good.
struct Pivoted {
  std::int64_t campaign = 0;
  bool closed = false;  // left for good
  std::optional<ArmId> from;
  ArmId to;
  std::optional<std::string> rule;
  std::string why;
};

/// A candidate was profiled, or will not be.
struct Profiled {
  std::int64_t campaign = 0, iteration = 0;
  std::string kernel, workload, variant;
  const Profile* profile = nullptr;  // valid during the call; nullptr: there is none
  std::string why_not;               // then
};

/// For the live line.
struct Progress {
  double spent_s = 0, budget_s = 0;
  std::int64_t iterations = 0;
  std::map<std::string, std::int64_t> outcomes;
  std::string doing;                   // what runs now: "softmax 20_online BLOCK=128 on r4096x1024_bf16"
  std::optional<double> best_speedup;  // of the workload at work
  std::optional<double> of_rival;      // there: the fastest rival's time over the best's; above 1 the best is ahead
  std::string phase;             // what it begins with: "trial of the gates", "confirmation", "build"; "" : not said
  std::string kernel, workload;  // at work; "" : none
  std::optional<double> spent_usd;
};

struct BestRow {
  WorkloadState state;
  Config config, rival_config;
  bool rival_deterministic = true;  // false: its launches on the same values left other bits
  std::int64_t iteration = 0;
  bool tried = false;  // its baseline was evaluated; nothing else can be without
};

/// What one of a campaign's kernels got.
struct KernelShare {
  std::string kernel;
  std::int64_t iterations = 0;
  double seconds = 0;           // of its gates' trial and of its evaluations
  std::optional<double> score;  // as the campaign's, over its own workloads
  std::string left_out;         // why nothing of it was evaluated; "" if something may have been
};

/// What a proposer cost, and what came of its variants.
struct ProposerRow {
  std::string name, spec;
  std::int64_t asked = 0, accepted = 0, passed = 0, improved = 0;  // requests, second questions apart
  double log_gain = 0;        // the sum of ln(old best / new best) of those that became a best
  std::optional<double> usd;  // of its requests; absent: unknown
  double waited_s = 0;        // between its requests and their answers, together
  double device_s = 0;        // of evaluating its variants
};

struct CampaignSummary {
  std::int64_t campaign = 0;
  EndReason reason = EndReason::exhausted;
  std::string message;  // why, in words
  std::int64_t iterations = 0;
  std::map<std::string, std::int64_t> outcomes;
  std::vector<BestRow> best;
  std::vector<KernelShare> kernels;
  std::vector<std::string> over_eager;  // those whose baseline is PyTorch, as the problem's owner wrote it
  /// Arms of workloads that were begun of which no configuration was evaluated, here or in an earlier campaign.
  std::vector<ArmId> never_tried;
  /// Weighted geometric mean of the speedups over the baselines. Where nothing passed, or nothing was tried, a workload
  /// counts as 1: scores of two campaigns over the same workloads can be compared.
  std::optional<double> score;
  double spent_s = 0;
  std::optional<double> cost_usd;
  bool emulation = false;
  std::string predicts;     // the GPU that times were predicted for; "": none
  Calibration calibration;  // of this campaign's predictions
  std::vector<ProposerRow> proposers;
};

/// What a campaign would do: nothing was evaluated or recorded. The decisions after the first assume that each
/// evaluation does what is predicted of it.
struct DryRun {
  Snapshot snapshot;
  std::string strategy, search;
  std::vector<RuleState> rules;          // in the order they are asked, now
  std::vector<Decision> decisions;       // the first ones
  std::vector<AppliedPattern> patterns;  // of the playbook, that apply now
};

/// A reader of a campaign's one stream of events. Each is told once, in the campaign's thread, in the order in which
/// it happens; only phase() may come from another thread.
class Display {
 public:
  virtual ~Display() = default;
  virtual void started(const CampaignStarted& event) = 0;
  virtual void begun(const EvaluationBegun& /*event*/) {}
  virtual void phase(const EvaluationPhase& /*event*/) {}
  virtual void iteration(const IterationEnded& event) = 0;
  virtual void pivoted(const Pivoted& event) = 0;
  /// A request was answered, or given up.
  virtual void proposed(const ProposalRecord& /*record*/) {}
  virtual void profiled(const Profiled& /*event*/) {}
  virtual void progress(const Progress& event) = 0;
  virtual void finished(const CampaignSummary& summary) = 0;
};

}  // namespace harness
