#include "harness/campaign/failed_sources.h"

#include "harness/core/gates.h"

namespace harness {
void FailedSources::add(const FailedGate& failed) {
  if (failed.source_hash.empty()) return;
  const FailedBefore before{failed.gate, failed.iteration};
  const Gate* const gate = find_gate(failed.gate);
  switch (gate == nullptr ? SpoilsSource::no : gate->spoils) {
    case SpoilsSource::no:
      return;
    case SpoilsSource::at_once:
      refused_.emplace(failed.source_hash, before);
      return;
    case SpoilsSource::second_time:
      if (!failed_once_.emplace(failed.source_hash, before).second) refused_.emplace(failed.source_hash, before);
      return;
    case SpoilsSource::elsewhere:
      wrong_elsewhere_.emplace(failed.source_hash, before);
      return;
  }
}

std::optional<FailedBefore> FailedSources::refusal(const std::string& source_hash) const {
  const auto refused = refused_.find(source_hash);
  return refused == refused_.end() ? std::nullopt : std::optional(refused->second);
}

std::vector<FailedGate> failed_gates(std::int64_t iteration, const std::string& source_hash,
                                     const Evaluation& evaluation) {
  std::vector<FailedGate> failed;
  for (const GateResult& gate : evaluation.gates)
    if (gate.checked && !gate.passed) failed.push_back({iteration, source_hash, gate.name});
  return failed;
}

}  // namespace harness
