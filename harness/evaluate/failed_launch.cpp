#include "harness/evaluate/failed_launch.h"

#include <fmt/format.h>

#include "harness/core/gates.h"
#include "harness/evaluate/launches.h"

namespace harness {

std::optional<FailedLaunch> failed_launch(const EvaluationRun& run) {
  const Outcome& outcome = run.evaluation.outcome;
  const auto* const late = std::get_if<TimedOut>(&outcome);
  const bool failed = std::holds_alternative<Crashed>(outcome) || (late != nullptr && late->stage == "launch");
  if (!failed || run.last_realized == nullptr) return std::nullopt;
  return FailedLaunch{*run.last_realized, run.last_draw, run.deadline() + run.seconds_at(*run.last_realized)};
}

Settled repeat_failed_launch(EvaluationRun& run, const FailedLaunch& failed) {
  const Charge charge(run.evaluation.cost.gates_s);
  WorkerPool& workers = run.workers;
  CompileFailure failure;
  const Artifact* const artifact = run.artifact_at(failed.realized, failure);
  if (artifact == nullptr) return CompileError{failure.log};
  Subject subject = workers.make_subject(failed.realized, *artifact, run.request.admission);
  subject.executable.problem = with_tolerances(failed.realized.problem, run.request.admission, failed.draw.form);
  subject.trusted = workers.build_trusted(failed.realized);
  subject.images.push_back(workers.make_image(subject.image_bytes()));
  subject.draws = {failed.draw};
  workers.repaint(subject, 0);
  run.evaluation.seeds.push_back(failed.draw.seed);
  run.suspect = {&failed.realized, failed.draw.form};
  const std::string which =
      fmt::format("at {}, {}, seed {}", failed.realized.problem.workload.name, failed.draw.form, failed.draw.seed);
  if (auto refused = workers.runner.prepare(contenders_of({&subject}), failed.limit_s))
    return to_outcome(*refused, "launch", failed.limit_s);
  const Launched launched = launch_and_judge(workers, subject, 0, 0, failed.limit_s);
  const bool at_timed_size = failed.realized.problem.workload.name == run.request.realized.problem.workload.name;
  const auto add_failed = [&](const std::string& words) {
    run.add({name_of(gate::repeated), true, words, false}, false);
    if (failed.draw.form != "nominal") run.add({name_of(gate::form, failed.draw.form), false, words}, false);
    else if (!at_timed_size) run.add({name_of(gate::shape), false, words}, false);
  };
  if (launched.failure) {
    add_failed("the launch that failed first failed again, alone: " + which);
    RunnerFailure again = *launched.failure;
    again.detail += fmt::format(" (twice, {})", which);
    return to_outcome(again, "launch", failed.limit_s);
  }
  if (const GateResult* const wrong = first_failed(launched.verdict.gates)) {
    const std::string words = fmt::format("the launch that failed first left a wrong answer, alone: {}: {}: {}", which,
                                          wrong->name, wrong->detail);
    add_failed(words);
    return WrongAnswer{words, launched.verdict.first_bad, wrong->name};
  }
  return run.add({name_of(gate::repeated), true, "the launch that failed first is right, alone: " + which});
}

}  // namespace harness
