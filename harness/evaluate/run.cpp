#include "harness/evaluate/run.h"

#include "harness/core/error.h"
#include "harness/evaluate/before_launch.h"
#include "harness/evaluate/finalist_memory.h"
#include "harness/evaluate/judged_launches.h"
#include "harness/evaluate/other_points.h"
#include "harness/evaluate/timed_gates.h"
#include "harness/evaluate/timing.h"
#include "harness/evaluate/wrong_answer.h"

namespace harness {
namespace {

Settled timed_steps(EvaluationRun& run, Timing& timing) {
  TimedRun timed;
  if (Settled settled = measure(run, timed)) return settled;
  timing = timed.timing;
  if (Settled settled = gate_timed_calls(run, timed)) return settled;
  if (Settled settled = gate_after_timing(run)) return settled;
  return gate_plausibility(run, timing);
}

Outcome steps(EvaluationRun& run) {
  if (Settled settled = gate_source(run)) return *settled;
  if (Settled settled = gate_build(run)) return *settled;
  if (Settled settled = gate_artifact(run)) return *settled;
  if (Settled settled = gate_preflight(run)) return *settled;
  // From here on a GPU is this process's alone: a launch of anybody else's would show in a timing.
  const auto hold = run.workers.native() ? std::nullopt : run.workers.hold_device();
  if (Settled settled = prepare_launches(run)) return *settled;
  if (Settled settled = gate_launch(run)) return *settled;
  if (Settled settled = gate_determinism(run)) return *settled;
  if (Settled settled = gate_other_points(run)) return *settled;
  Timing timing;
  if (!run.request.gates_only)
    if (Settled settled = timed_steps(run, timing)) return *settled;
  if (run.request.confirm)
    if (Settled settled = gate_memory(run)) return *settled;
  if (run.request.stages) try_stages_of(run, run.request.realized, run.subject.trusted, "nominal");
  return Passed{timing};
}

}  // namespace

Evaluation run_gates(const EvaluationRequest& request, const RunSettings& settings, WorkerPool& workers) {
  EvaluationRun run(request, settings, workers);
  const double begin = steady_seconds();
  try {
    run.evaluation.outcome = steps(run);
    explain(run, run.evaluation.outcome);
  } catch (const InterruptedWork&) {
    run.evaluation.outcome = Interrupted{};
  }
  workers.judge.forget();
  run.evaluation.cost.wall_s = steady_seconds() - begin;
  return std::move(run.evaluation);
}

}  // namespace harness
