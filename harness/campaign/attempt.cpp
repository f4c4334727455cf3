#include "harness/campaign/attempt.h"

#include <fmt/format.h>

namespace harness {

namespace {

std::string key_of(const Candidate& candidate, const std::string& workload, std::int64_t ask, Purpose purpose) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", candidate.kernel, workload, candidate.variant, to_text(candidate.config),
                     ask, name(purpose));
}

}  // namespace

std::string attempt_key(const AttemptRecord& record) {
  return key_of(record.candidate, record.workload, record.ask, record.purpose);
}

std::string attempt_key(const IterationSummary& iteration) {
  return key_of(iteration.candidate, iteration.workload, iteration.ask, iteration.purpose);
}

void be_its_own_baseline(Outcome& outcome) {
  const auto mark = [](Timing& timing) {
    timing.baseline_ns = timing.time_ns;
    timing.speedup = timing.speedup_lo = timing.speedup_hi = 1.0;
  };
  if (auto* passed = std::get_if<Passed>(&outcome)) mark(passed->timing);
  if (auto* brief = std::get_if<Screened>(&outcome)) mark(brief->timing);
}

}  // namespace harness
