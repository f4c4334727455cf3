#include "harness/core/iteration_row.h"

#include <cmath>

#include "harness/core/match.h"
#include "harness/core/utf8.h"

namespace harness {
namespace {

void keep_series(IterationRow& row, const char* kind, std::vector<double> series) {
  std::erase_if(series, [](double number) { return !std::isfinite(number); });
  if (!series.empty()) row.samples[kind] = std::move(series);
}

void keep_timing(IterationRow& row, const Timing& timing) {
  if (timing.verdict) row.verdict = name(*timing.verdict);
  row.emulation = timing.emulation;
  row.calls_per_sample = timing.samples.calls_per_sample;
  row.input_sets = timing.samples.input_sets;
  row.method = timing.samples.method;
  keep_series(row, "rotating_ns", timing.samples.rotating_ns);
  keep_series(row, "cold_ns", timing.samples.cold_ns);
  keep_series(row, "warm_ns", timing.samples.warm_ns);
  keep_series(row, "clock_mhz", timing.samples.clock_mhz);
}

void keep_outcome(IterationRow& row, const Outcome& outcome) {
  row.outcome = outcome_name(outcome);
  if (!std::holds_alternative<NoEffect>(outcome)) row.error = error_json(outcome);
  std::visit(Match{[&](const Passed& passed) { keep_timing(row, passed.timing); },
                   [&](const Screened& screened) { keep_timing(row, screened.timing); },
                   [&](const CompileError& error) {
                     if (!row.log && !error.log.empty()) row.log = error.log;
                   },
                   [&](const NoEffect& same) {
                     if (same.same_as_iteration > 0) row.same_as = same.same_as_iteration;
                   },
                   [](const auto&) {}},
             outcome);
}

/// JSON that survives a round trip through text: every string valid UTF-8.
json clean(const json& j) {
  return parse_json(json_text(j));
}

}  // namespace

IterationRow row_of(const Evaluation& evaluation, bool confirmed, double ended_unix) {
  IterationRow row;
  static_cast<IterationFacts&>(row) = facts_of(evaluation);
  row.ended_unix = ended_unix;
  row.confirmed = confirmed;
  if (!evaluation.log.empty()) row.log = valid_utf8(evaluation.log);
  if (!evaluation.source_text.empty()) row.source = valid_utf8(evaluation.source_text);
  keep_outcome(row, evaluation.outcome);
  row.error = clean(row.error);
  if (row.log) row.log = valid_utf8(*row.log);
  row.seeds = evaluation.seeds;
  row.cost = evaluation.cost;
  row.gates = evaluation.gates;
  for (GateResult& gate : row.gates) gate.detail = valid_utf8(gate.detail);
  row.errors = evaluation.errors;
  return row;
}

}  // namespace harness
