#include "harness/campaign/seen_variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace harness {
namespace {

std::string place_key(const std::string& kernel, const std::string& workload, const std::string& variant) {
  return kernel + "\n" + workload + "\n" + variant;
}

std::string first_line(const std::string& text) {
  constexpr std::size_t kLongestKept = 600;  // a proposer is told it: enough for the place and the sentence
  return text.substr(0, std::min(text.find('\n'), kLongestKept));
}

void note_config(SeenVariant& seen, const IterationSummary& iteration) {
  SeenConfig fresh{iteration.candidate.config, std::string(name(iteration.outcome)), iteration.speedup};
  const auto same = std::ranges::find(seen.configs, fresh.config, &SeenConfig::config);
  if (same != seen.configs.end() && same->speedup.value_or(0) >= fresh.speedup.value_or(0)) return;
  if (same != seen.configs.end()) seen.configs.erase(same);
  const auto slower = std::ranges::find_if(
      seen.configs, [&](const SeenConfig& other) { return other.speedup.value_or(0) < fresh.speedup.value_or(0); });
  seen.configs.insert(slower, std::move(fresh));
}

}  // namespace

std::string configs_text(const SeenVariant& seen) {
  constexpr std::size_t kMostTold = 6;
  if (seen.configs.size() < 2) return "";
  std::string text;
  for (std::size_t i = 0; i < std::min(kMostTold, seen.configs.size()); ++i) {
    const SeenConfig& each = seen.configs[i];
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", to_text(each.config),
                        each.speedup ? fmt::format("{:.3g}x", *each.speedup) : each.outcome);
  }
  if (seen.configs.size() > kMostTold) text += fmt::format("; {} more", seen.configs.size() - kMostTold);
  return text;
}

void SeenVariants::note(const IterationSummary& iteration, const std::string& message) {
  const Candidate& candidate = iteration.candidate;
  const auto [at, fresh] = seen_.try_emplace(place_key(candidate.kernel, iteration.workload, candidate.variant));
  SeenVariant& seen = at->second;
  if (fresh) in_order_.push_back(&seen);
  note_config(seen, iteration);
  if (!fresh && seen.time_ns && !(iteration.time_ns && *iteration.time_ns < *seen.time_ns)) return;
  std::vector<SeenConfig> configs = std::move(seen.configs);
  seen = {candidate.kernel,
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
          iteration.shared_bytes,
          std::move(configs)};
}

const SeenVariant* SeenVariants::find(const std::string& kernel, const std::string& workload,
                                      const std::string& variant) const {
  const auto entry = seen_.find(place_key(kernel, workload, variant));
  return entry == seen_.end() ? nullptr : &entry->second;
}

}  // namespace harness
