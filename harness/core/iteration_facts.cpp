#include "harness/core/iteration_facts.h"

#include <cmath>

namespace harness {
namespace {

std::optional<double> finite(std::optional<double> number) {
  return number && std::isfinite(*number) ? number : std::nullopt;
}

void add_times(IterationFacts& facts, const Timing& timing) {
  facts.time_ns = finite(timing.time_ns);
  facts.time_lo_ns = finite(timing.time_lo_ns);
  facts.time_hi_ns = finite(timing.time_hi_ns);
  facts.cold_ns = finite(timing.cold_ns);
  facts.warm_ns = finite(timing.warm_ns);
  facts.baseline_ns = finite(timing.baseline_ns);
  facts.speedup = finite(timing.speedup);
  facts.speedup_lo = finite(timing.speedup_lo);
  facts.speedup_hi = finite(timing.speedup_hi);
  facts.incumbent_ns = finite(timing.incumbent_ns);
  facts.floor_ns = finite(timing.floor_ns);
}

}  // namespace

IterationFacts facts_of(const Evaluation& evaluation) {
  IterationFacts facts;
  static_cast<EvaluationFacts&>(facts) = evaluation;
  facts.anchor_ns = finite(evaluation.anchor_ns);
  if (const Timing* timing = timing_of(evaluation.outcome)) add_times(facts, *timing);
  if (const auto* abandoned = std::get_if<Abandoned>(&evaluation.outcome)) {
    facts.threshold_ns = finite(abandoned->threshold_ns);
    facts.stopped_ns = finite(abandoned->time_ns);
  }
  if (const auto* wrong = std::get_if<WrongAnswer>(&evaluation.outcome)) facts.fingerprint = wrong->fingerprint;
  if (evaluation.resources) {
    facts.registers = evaluation.resources->registers;
    facts.shared_bytes = evaluation.resources->static_shared_bytes;
    facts.spill_bytes = evaluation.resources->spill_bytes;
    facts.local_bytes = evaluation.resources->local_bytes;
  }
  return facts;
}

}  // namespace harness
