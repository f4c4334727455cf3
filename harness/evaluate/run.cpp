#include "harness/evaluate/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/gates.h"
#include "harness/core/torch_call.h"
#include "harness/evaluate/batch_invariance.h"
#include "harness/evaluate/before_launch.h"
#include "harness/evaluate/directed_inputs.h"
#include "harness/evaluate/finalist_memory.h"
#include "harness/evaluate/judged_launches.h"
#include "harness/evaluate/other_points.h"
#include "harness/evaluate/painted.h"
#include "harness/evaluate/predicted_timing.h"
#include "harness/evaluate/statistics.h"
#include "harness/evaluate/timed_gates.h"
#include "harness/evaluate/timing.h"
#include "harness/evaluate/wrong_answer.h"
#include "harness/system/awake_clock.h"

namespace harness {
namespace {

void begin_phase(const EvaluationRun& run, const char* phase) {
  if (run.settings.on_phase) run.settings.on_phase(run.request.confirm ? std::string("confirmation, ") + phase : phase);
}

Settled timed_steps(EvaluationRun& run, Timing& timing) {
  begin_phase(run, "timing");
  TimedRun timed;
  if (Settled settled = measure(run, Audit::kept, timed)) return settled;
  if (!run.workers.native()) {
    // A clock that rose or fell makes times contradict each other once, and hardly twice.
    const GateResult agreement = agreement_of_times(run, timed.samples.front());
    if (!agreement.passed) {
      run.add({name_of(gate::repeated), true, "timed again in a fresh process: " + agreement.detail, false});
      run.workers.runner.kill();
      timed = {};
      if (Settled settled = measure(run, Audit::kept, timed)) return settled;
    }
  }
  timing = timed.timing;
  if (Settled settled = gate_timed_calls(run, timed)) return settled;
  if (Settled settled = gate_after_timing(run)) return settled;
  return gate_plausibility(run, timing);
}

Settled gate_timed_size(EvaluationRun& run) {
  if (Settled settled = prepare_candidate(run)) return settled;
  if (Settled settled = gate_launch(run)) return settled;
  return gate_determinism(run);
}

/// What was recorded until here is what everything meets: a gate that screening leaves out must not be among it.
[[maybe_unused]] bool met_only_what_all_meet(const EvaluationRun& run) {
  return std::ranges::none_of(run.evaluation.gates, [](const GateResult& result) {
    const Gate* const gate = find_gate(result.name);
    return gate != nullptr && gate->screened_out;
  });
}

// What cannot be a new best needs no proof that it might have been one. The record says so in words: none of the gates
// behind is ever read as passed.
Settled screen(EvaluationRun& run) {
  const auto hold = run.workers.native() ? std::nullopt : run.hold_device();
  if (Settled settled = gate_timed_size(run)) return settled;
  TimedRun timed;
  begin_phase(run, "timing");
  Settled settled = measure(run, Audit::none, timed);
  begin_phase(run, "gates");
  if (settled && !std::holds_alternative<Abandoned>(*settled)) return settled;
  if (!settled && timed.timing.verdict != Comparison::slower) return std::nullopt;
  assert(met_only_what_all_meet(run));
  run.add({name_of(gate::screened), true,
           "right at the timed size and slower than the best there: other sizes, forms of the inputs, timed calls and "
           "plausibility were not needed",
           false});
  return settled ? *settled : Screened{timed.timing};
}

Settled time_launches(EvaluationRun& run, Timing& timing) {
  while (run.launches_ns.size() < kFewestForVerdict && run.briefly_affords(run.launches_ns.size() + 1))
    if (Settled settled = repeat_launch(run)) return settled;
  timing = timing_of_launches(run);
  return std::nullopt;
}

// A slow one is there to be compared with. A few launches, or one, say what it takes; it is no best before it meets the
// other gates.
Settled screen_slow(EvaluationRun& run) {
  const auto hold = run.workers.native() ? std::nullopt : run.hold_device();
  if (Settled settled = prepare_candidate(run)) return settled;
  if (Settled settled = gate_launch(run)) return settled;
  const bool alone = run.is_slow() && !run.briefly_affords(2);
  if (!alone)
    if (Settled settled = gate_determinism(run)) return settled;
  if (!run.is_slow()) return std::nullopt;
  assert(met_only_what_all_meet(run));
  Timing timing;
  if (Settled settled = predicts_times(run) ? predict_timing(run, timing) : time_launches(run, timing)) return settled;
  run.add({name_of(gate::screened), true,
           fmt::format("right at the timed size, where a launch takes {:.2g} s: {}other sizes, forms of the inputs, "
                       "timed calls and plausibility wait until nothing faster is found",
                       run.launches_ns.front() * 1e-9, alone ? "determinism, " : ""),
           false});
  return Screened{timing};
}

// From here on a GPU is this process's alone: a launch of anybody else's would show in a timing.
Settled steps_on_device(EvaluationRun& run, Timing& timing) {
  const auto hold = run.workers.native() ? std::nullopt : run.hold_device();
  if (!run.timed_size_first())
    if (Settled settled = gate_timed_size(run)) return settled;
  if (Settled settled = prepare_neighbours(run)) return settled;
  std::optional<MemoryGate> memory;
  const bool torch = calls_torch(run.request.realized.plan);  // its kernels are others'
  if (run.request.confirm) memory.emplace(run);
  if (Settled settled = gate_other_points(run)) return settled;
  if (Settled settled = gate_batch_invariance(run)) return settled;
  if (!torch)
    if (Settled settled = compare_configurations(run)) return settled;
  if (memory && !run.workers.native())  // a GPU that they watch is not timed
    if (Settled settled = memory->finish()) return settled;
  if (Settled settled = gate_machine_code(run)) return settled;
  if (!run.request.gates_only)
    if (Settled settled = timed_steps(run, timing)) return settled;
  if (memory && run.workers.native())
    if (Settled settled = memory->finish()) return settled;
  if (run.request.stages) try_stages_of(run, run.request.realized, run.subject.trusted, "nominal");
  return std::nullopt;
}

Outcome steps(EvaluationRun& run, const std::optional<FailedLaunch>& failed) {
  begin_phase(run, "build");
  if (Settled settled = gate_source(run)) return *settled;
  if (Settled settled = gate_build(run)) return *settled;
  if (Settled settled = gate_artifact(run)) return *settled;
  begin_phase(run, "gates");
  if (failed)
    if (Settled settled = repeat_failed_launch(run, *failed)) return *settled;
  std::optional<ComparisonSearch> comparisons;
  const bool torch = calls_torch(run.request.realized.plan);
  if (run.request.confirm && !torch) comparisons.emplace(run);
  if (run.timed_size_first()) {
    if (Settled settled = run.screens() ? screen(run) : screen_slow(run)) return *settled;
    announce_other_points(run);
  }
  const bool beside = run.preflight_beside();
  if (!beside)
    if (Settled settled = gate_preflight(run)) return *settled;
  Timing timing;
  if (Settled settled = steps_on_device(run, timing)) return *settled;
  if (beside)
    if (Settled settled = gate_preflight(run)) return *settled;
  if (comparisons) {
    if (Settled settled = comparisons->finish()) return *settled;
    if (Settled settled = require_memory_check(run)) return *settled;
  }
  return Passed{timing};
}

}  // namespace

Evaluation run_gates(const EvaluationRequest& request, const RunSettings& settings, WorkerPool& workers,
                     std::optional<FailedLaunch>& failed) {
  const std::optional<FailedLaunch> before = std::exchange(failed, std::nullopt);  // outlives what points to it
  EvaluationRun run(request, settings, workers);
  const double begin = awake_seconds();
  try {
    run.evaluation.outcome = steps(run, before);
    failed = failed_launch(run);
    explain(run, run.evaluation.outcome);
    announce_finalist(run);
  } catch (const InterruptedWork&) {
    run.evaluation.outcome = Interrupted{};
  }
  workers.judge.forget();
  run.evaluation.cost.wall_s = awake_seconds() - begin - run.evaluation.calibration_s;
  return std::move(run.evaluation);
}

}  // namespace harness
