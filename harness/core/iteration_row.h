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

/// The `error` of CLI.md; null for passed and screened.
json shown_error(const IterationRow& row);

/// Which evaluation it was.
struct IterationIdentity {
  std::int64_t iteration = 0, campaign = 0;
  Candidate candidate;
  std::string workload;
  Purpose purpose = Purpose::search;
  std::string device, contract_hash, source_hash;
  json decision = nullptr;                       // decision_json, or null
  std::optional<std::string> label, parent;      // AttemptRecord's
  std::optional<std::string> node, device_uuid;  // AttemptRecord's; absent outside a fleet
};

enum class Detail {
  line,  // the event of `run --json`
  full,  // with gates, hashes, resources, errors, seeds, samples and log: `eval --json`, `show --json`
};

/// The iteration object of CLI.md (without "event").
json iteration_json(const IterationIdentity& identity, const IterationRow& row, Detail detail);
/// The same for an evaluation that has just ended, whether it was recorded or not (then `iteration` is 0).
json iteration_json(const AttemptRecord& attempt, const Evaluation& evaluation, std::int64_t iteration, bool confirmed,
                    const json& decision, const std::string& device, Detail detail);
/// {"action","why","rule","predict":{"speedup":[lo,hi],"evaluations"}}
json decision_json(const Decision& decision);

/// The evaluation's hash, which is what was built, or the attempt's where it did not get so far.
std::string contract_hash_of(const AttemptRecord& attempt, const Evaluation& evaluation);
std::string source_hash_of(const AttemptRecord& attempt, const Evaluation& evaluation);

}  // namespace harness
