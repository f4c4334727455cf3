#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/evaluator.h"
#include "harness/core/ledger.h"

namespace harness {

/// Everything the store keeps of one evaluation, flat: what is inserted, read back, exported, imported and shown as
/// JSON. So a live `run --json` line and a recorded one cannot differ. core/iteration_fields.h lists its fields.
struct IterationRow : IterationFacts {
  std::string outcome;
  bool confirmed = false;
  std::optional<std::string> verdict;
  bool emulation = false;
  std::optional<std::int64_t> calls_per_sample, input_sets;
  std::optional<std::string> method;
  json error = nullptr;  // null for passed and screened, and for no_effect: that one follows from same_as
  std::optional<std::int64_t> same_as;             // an iteration of this store
  std::optional<std::string> source_key, log_key;  // SHA-256 of the texts in the store
  std::vector<std::uint64_t> seeds;
  StageCosts cost;
  std::vector<GateResult> gates;
  std::vector<ArgumentError> errors;
  std::map<std::string, std::vector<double>> samples;  // by kind: rotating_ns, cold_ns, warm_ns, clock_mhz
  std::optional<std::string> source, log;              // the texts; read back only when asked for
};

IterationRow row_of(const Evaluation& evaluation, bool confirmed, double ended_unix);

}  // namespace harness
