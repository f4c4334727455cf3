#include "harness/evaluate/timed_gates.h"

#include <fmt/format.h>

#include <cstring>

#include "harness/core/gates.h"
#include "harness/evaluate/launches.h"
#include "harness/evaluate/predicted_timing.h"
#include "harness/evaluate/timed_calls.h"
#include "harness/evaluate/wrong_answer.h"
#include "harness/judge/plausibility.h"

namespace harness {
namespace {

Settled judge_timed_call(EvaluationRun& run, const std::string& gate, const DrawId& draw, const SharedMemory& left) {
  Launched call;
  call.verdict = run.workers.judge.verdict(run.subject.executable, run.subject.trusted, draw, left);
  const std::string where = draw.fresh
                                ? fmt::format("secretly chosen, seed {}, values {}", draw.seed, draw.fresh->values)
                                : fmt::format("secretly chosen, seed {}", draw.seed);
  if (call.verdict.passed()) return run.add({gate, true, where + ": " + errors_in_words(call.verdict)});
  const GateResult& failed = *first_failed(call.verdict.gates);
  run.add({gate, false, fmt::format("{}: {}: {}", where, failed.name, failed.detail)}, false);
  return wrong_answer(run, call, run.subject, gate + ": ");
}

}  // namespace

GateResult agreement_of_times(const EvaluationRun& run, const Samples& samples) {
  return check_times(samples, static_cast<std::int64_t>(run.subject.image_bytes()) <= run.workers.device.l2_bytes);
}

Settled gate_timed_calls(EvaluationRun& run, const TimedRun& timed) {
  if (predicts_times(run))
    return run.add({name_of(gate::timed_launch), true, "nothing was timed: the time is predicted", false});
  const Charge charge(run.evaluation.cost.gates_s);
  const Samples& samples = timed.samples[0];
  if (run.workers.native()) {
    const SharedMemory evidence(timed.copy.size());
    std::memcpy(evidence.bytes().data(), timed.copy.data(), timed.copy.size());
    return judge_timed_call(run, name_of(gate::timed_launch), timed.copy_draw, evidence);
  }
  if (run.add(check_twice(samples.twice, run.request.may_differ))) {
    const GateResult& failed = run.evaluation.gates.back();
    return WrongAnswer{failed.name + ": " + failed.detail, std::nullopt, failed.name};
  }
  if (Settled settled = run.add(agreement_of_times(run, samples))) return settled;
  for (const KeptCall& kept : samples.kept) {
    DrawId draw = run.subject.draws.at(static_cast<std::size_t>(kept.image));
    draw.fresh = kept.seeds;
    if (Settled settled = judge_timed_call(run, name_of(gate::timed_launch, name(kept.kind)), draw,
                                           timed.places.at(static_cast<std::size_t>(kept.place))))
      return settled;
  }
  return std::nullopt;
}

Settled gate_plausibility(EvaluationRun& run, const Timing& timing) {
  const Charge charge(run.evaluation.cost.gates_s);
  return run.add(judge::plausibility_gate(run.subject.problem(), run.workers.device, run.settings.peaks, timing));
}

}  // namespace harness
