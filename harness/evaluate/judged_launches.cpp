#include "harness/evaluate/judged_launches.h"

#include <algorithm>

#include "harness/core/gates.h"
#include "harness/evaluate/launches.h"
#include "harness/evaluate/wrong_answer.h"
#include "harness/system/awake_clock.h"

namespace harness {

namespace {

// Once more on the same inputs: in words, where the bits differ.
Settled launch_again(EvaluationRun& run, std::string& difference) {
  run.workers.repaint(run.subject, 0);
  double elapsed_ns = 0;
  if (auto failure = run.workers.runner.run(0, 0, run.deadline(), nullptr, &elapsed_ns))
    return to_outcome(*failure, "launch", run.deadline());
  run.launches_ns.push_back(elapsed_ns);
  if (run.subject.problem().deterministic) difference = difference_in_words(run.subject, run.first_outputs, 0);
  return std::nullopt;
}

Settled not_deterministic(EvaluationRun& run, const std::string& which, const std::string& difference) {
  run.add({name_of(gate::determinism), false, which + " on the same inputs: " + difference}, false);
  return WrongAnswer{"determinism: " + which +
                         " on the same inputs gave other bits (a race, or memory that nobody wrote): " + difference,
                     std::nullopt, "determinism: changes from run to run"};
}

}  // namespace

Settled gate_launch(EvaluationRun& run) {
  const Charge charge(run.evaluation.cost.gates_s);
  const double begin = awake_seconds();
  const Launched launched = launch_and_judge(run.workers, run.subject, 0, 0, run.deadline());
  if (launched.failure) return to_outcome(*launched.failure, "launch", run.deadline());
  run.launch_s = std::min(launched.seconds, awake_seconds() - begin);
  run.launches_ns = {launched.elapsed_ns};
  run.first_outputs = output_bytes(run.subject, 0);
  run.first_draw = run.subject.draws[0];
  run.add_judged(launched.verdict.gates);
  run.evaluation.errors = launched.verdict.errors;
  if (launched.verdict.passed()) return std::nullopt;
  return wrong_answer(run, launched, run.subject, "");
}

Settled gate_determinism(EvaluationRun& run) {
  const Charge charge(run.evaluation.cost.gates_s);
  if (!run.subject.problem().deterministic)
    return run.add(
        {name_of(gate::determinism), true, "the contract allows the bits to differ from launch to launch", false});
  std::string difference;
  if (Settled settled = launch_again(run, difference)) return settled;
  if (difference.empty())
    return run.add({name_of(gate::determinism), true, "a second launch on the same inputs gave the same bits"});
  if (run.request.may_differ)
    return run.add(
        {name_of(gate::determinism), true,
         std::string(kNotDeterministic) + ", which a rival may be: a second launch on the same inputs: " + difference,
         false});
  return not_deterministic(run, "a second launch", difference);
}

Settled repeat_launch(EvaluationRun& run) {
  const Charge charge(run.evaluation.cost.timing_s);
  std::string difference;
  if (Settled settled = launch_again(run, difference)) return settled;
  if (!difference.empty() && !run.request.may_differ) return not_deterministic(run, "another launch", difference);
  return std::nullopt;
}

Settled gate_after_timing(EvaluationRun& run) {
  const Charge charge(run.evaluation.cost.gates_s);
  run.paint(run.subject, 0);
  // The very process that was timed is judged: code that works once a process, or that answered before it had worked,
  // is found out. It finds its inputs as the timed launches did: code that looks for walls finds none.
  const Launched launched = launch_and_judge(run.workers, run.subject, 0, 0, run.deadline(), Inputs::open);
  if (launched.failure) return to_outcome(*launched.failure, "launch", run.deadline());
  std::vector<GateResult> gates = launched.verdict.gates;
  for (GateResult& gate : gates) gate.name = after_timing(gate.name);
  run.add_judged(std::move(gates));
  if (launched.verdict.passed()) return std::nullopt;
  return wrong_answer(run, launched, run.subject, "after timing: ");
}

}  // namespace harness
