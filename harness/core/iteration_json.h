#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "harness/core/iteration_row.h"

// An iteration as JSON: one object for a live `run --json` line, a recorded one and `eval --json`.
namespace harness {

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
