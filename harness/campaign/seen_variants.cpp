#include "harness/campaign/seen_variants.h"

#include <algorithm>

namespace harness {
namespace {

std::string place_key(const std::string& kernel, const std::string& workload, const std::string& variant) {
  return kernel + "\n" + workload + "\n" + variant;
}

std::string first_line(const std::string& text) {
  constexpr std::size_t kLongestKept = 600;  // a proposer is told it: enough for the place and the sentence
  return text.substr(0, std::min(text.find('\n'), kLongestKept));
}

}  // namespace

void SeenVariants::note(const IterationSummary& iteration, const std::string& message) {
  const Candidate& candidate = iteration.candidate;
  const auto [at, fresh] = seen_.try_emplace(place_key(candidate.kernel, iteration.workload, candidate.variant));
  SeenVariant& variant = at->second;
  if (fresh) in_order_.push_back(&variant);
  if (!fresh && variant.time_ns && !(iteration.time_ns && *iteration.time_ns < *variant.time_ns)) return;
  variant = {candidate.kernel,
             iteration.workload,
             candidate,
             iteration.iteration,
             std::string(name(iteration.outcome)),
             first_line(message),
             iteration.fingerprint,
             iteration.time_ns,
             iteration.speedup,
             iteration.registers,
             iteration.spill_bytes,
             iteration.shared_bytes};
}

const SeenVariant* SeenVariants::find(const std::string& kernel, const std::string& workload,
                                      const std::string& variant) const {
  const auto entry = seen_.find(place_key(kernel, workload, variant));
  return entry == seen_.end() ? nullptr : &entry->second;
}

}  // namespace harness
