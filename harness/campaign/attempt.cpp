#include "harness/campaign/attempt.h"

#include <fmt/format.h>

namespace harness {

std::string attempt_key(const AttemptRecord& record) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", record.candidate.kernel, record.workload, record.candidate.variant,
                     to_text(record.candidate.config), record.ask, name(record.purpose));
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
