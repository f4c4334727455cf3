#include "harness/evaluate/pair_by_record.h"

#include <fmt/format.h>

#include <cmath>

namespace harness {

bool PairByRecord::agrees(double ns) const {
  return std::abs(std::log(ns / alone_ns)) <= std::log1p(tolerance);
}

std::optional<Outcome> PairByRecord::time(Timing& timing) {
  if (alone_ns <= 0) {
    alone_ns = alone().value_or(0);
    if (alone_ns > 0) said = fmt::format("alone on this card the incumbent takes {:.4g} us", alone_ns * 1e-3);
  }
  if (auto settled = pair(timing)) return settled;
  if (alone_ns <= 0 || !timing.incumbent_ns || agrees(*timing.incumbent_ns)) return std::nullopt;
  const std::string odd = fmt::format("beside this candidate the incumbent took {:.4g} us, alone it takes {:.4g}",
                                      *timing.incumbent_ns * 1e-3, alone_ns * 1e-3);
  restart();
  if (auto settled = pair(timing)) return settled;
  if (!timing.incumbent_ns || agrees(*timing.incumbent_ns)) {
    said = odd + "; repeated in fresh processes they agree";
    return std::nullopt;
  }
  if (const std::optional<double> again = alone()) alone_ns = *again;
  if (agrees(*timing.incumbent_ns)) {
    said = odd + fmt::format("; alone it now takes {:.4g}: its record was out of date", alone_ns * 1e-3);
    return std::nullopt;
  }
  said = odd + ", also in fresh processes: the candidate is held against what the incumbent takes alone";
  hold_against(timing, alone_ns, tolerance);
  return std::nullopt;
}

void hold_against(Timing& timing, double incumbent_ns, double tolerance) {
  if (timing.incumbent_ns && *timing.incumbent_ns > 0) {
    const double factor = incumbent_ns / *timing.incumbent_ns;
    for (auto* ratio : {&timing.baseline_ns, &timing.speedup, &timing.speedup_lo, &timing.speedup_hi})
      if (*ratio) **ratio *= factor;
  }
  timing.incumbent_ns = incumbent_ns;
  timing.verdict = timing.time_hi_ns * (1 + tolerance) < incumbent_ns   ? Comparison::faster
                   : timing.time_lo_ns > incumbent_ns * (1 + tolerance) ? Comparison::slower
                                                                        : Comparison::same;
}

}  // namespace harness
