#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "harness/core/evaluator.h"

namespace harness {

/// What an ended evaluation amounts to in numbers: of a row of the record, and of what a campaign reads back of it.
/// Times are nanoseconds per call; intervals are 95 %. A number that is not finite is absent.
struct IterationFacts : EvaluationFacts {
  double ended_unix = 0;  // 0: not known
  std::string fingerprint;
  std::optional<double> time_ns, time_lo_ns, time_hi_ns, cold_ns, warm_ns, baseline_ns;
  std::optional<double> speedup, speedup_lo, speedup_hi, incumbent_ns, floor_ns;
  std::optional<double> threshold_ns, stopped_ns;  // abandoned: the limit, and its time when it was given up
  std::optional<std::int64_t> registers, shared_bytes, spill_bytes, local_bytes;
};

IterationFacts facts_of(const Evaluation& evaluation);

}  // namespace harness
