#include "harness/campaign/failed_sources.h"

namespace harness {
namespace {

// Not "times-agree": that one compares times, which another program on the machine may disturb.
bool speaks_for_all_configurations(const std::string& gate) {
  return gate.starts_with("timed-launch") || gate.ends_with(" after timing") || gate == "timed-twice";
}

bool looks_elsewhere(const std::string& gate) {
  return gate == "shape" || gate.starts_with("form:");
}

}  // namespace

void FailedSources::add(const FailedGate& failed) {
  if (failed.source_hash.empty()) return;
  const FailedBefore before{failed.gate, failed.iteration};
  if (speaks_for_all_configurations(failed.gate)) refused_.emplace(failed.source_hash, before);
  if (failed.gate == "plausibility" && !implausible_.emplace(failed.source_hash, before).second)
    refused_.emplace(failed.source_hash, before);
  if (looks_elsewhere(failed.gate)) wrong_elsewhere_.emplace(failed.source_hash, before);
}

std::optional<FailedBefore> FailedSources::refusal(const std::string& source_hash) const {
  const auto found = refused_.find(source_hash);
  return found == refused_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<FailedGate> failed_gates(std::int64_t iteration, const std::string& source_hash,
                                     const Evaluation& evaluation) {
  std::vector<FailedGate> failed;
  for (const GateResult& gate : evaluation.gates)
    if (gate.checked && !gate.passed) failed.push_back({iteration, source_hash, gate.name});
  return failed;
}

}  // namespace harness
