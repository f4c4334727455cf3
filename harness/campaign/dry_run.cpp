#include <algorithm>
#include <cmath>

#include "harness/campaign/loop.h"

// A campaign with nothing behind it: decisions follow each other as if every prediction came true.
namespace harness {
namespace {

// Nothing was measured: speedups need some baseline.
constexpr double kAssumedBaselineNs = 1e6;

IterationSummary assumed_iteration(const Candidate& candidate, const std::string& workload, double speedup,
                                   double seconds) {
  IterationSummary iteration;
  iteration.candidate = candidate;
  iteration.workload = workload;
  iteration.outcome = OutcomeKind::passed;
  iteration.time_ns = kAssumedBaselineNs / speedup;
  iteration.baseline_ns = kAssumedBaselineNs;
  iteration.speedup = speedup;
  iteration.wall_s = seconds;
  return iteration;
}

}  // namespace

// The evaluation that a decision leads to passes, in the middle of what was predicted.
void Campaign::assume(const Decision& decision) {
  Arm& arm = *find_arm(state_.arms(), decision.arm);
  WorkloadBook& book = state_.workload(decision.arm.kernel, decision.arm.workload);
  const double evaluation_s = state_.evaluation_seconds();
  if (!book.baseline_tried) {
    IterationSummary baseline = assumed_iteration(book.plan.baseline, book.plan.workload, 1, evaluation_s);
    baseline.purpose = Purpose::baseline;
    state_.apply(baseline);
    limits_.assume(evaluation_s);
  }
  const std::optional<SearchAsk> ask = state_.advance(arm);
  if (!ask) return;
  const Prediction& predict = decision.predict;
  const double speedup = std::sqrt(std::max(predict.speedup_lo * predict.speedup_hi, 1e-12));
  const Candidate candidate{arm.state.id.kernel, ask->variant, arm.state.id.technique, ask->config};
  IterationSummary iteration = assumed_iteration(candidate, arm.state.id.workload, speedup,
                                                 60 * expected_minutes(predict).value_or(evaluation_s / 60));
  iteration.purpose = Purpose::search;
  iteration.ask = arm.asks + 1;
  state_.apply(iteration, &decision.predict);
  limits_.assume(iteration.wall_s);
}

DryRun Campaign::dry_run(int decisions) {
  learn();
  DryRun plan;
  plan.snapshot = outlook_.snapshot();
  plan.strategy = strategy_->identity().name;
  plan.search = options_.search;
  plan.rules = strategy_->rules(plan.snapshot);
  if (ports_.playbook != nullptr) plan.patterns = ports_.playbook->applying(plan.snapshot);
  for (int i = 0; i < decisions && !check_limits(); ++i) {
    plan.decisions.push_back(decide());
    const Decision& decision = plan.decisions.back();
    if (decision.action == Action::close) find_arm(state_.arms(), decision.arm)->state.closed = true;
    else if (decision.action == Action::try_arm) assume(decision);
    else break;
  }
  return plan;
}

}  // namespace harness
