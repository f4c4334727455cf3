#pragma once
#include <functional>
#include <optional>
#include <string>

#include "harness/core/outcome.h"

namespace harness {

/// How a pair is timed where the incumbent has a record of its own on the card.
struct PairByRecord {
  std::function<std::optional<Outcome>(Timing&)> pair;  // the candidate beside the incumbent; an outcome settles it
  std::function<std::optional<double>()> alone;         // the incumbent alone in a fresh process, ns
  std::function<void()> restart;                        // what comes next is in fresh processes
  double tolerance = 0.03;                              // share by which two times of one thing differ at most
  /// The incumbent's own time on this card, 0: unknown, it is measured first. What is known of it afterwards.
  double alone_ns = 0;
  std::string said;  // afterwards: what was found, a sentence; "" where a known record and the pair agree

  /// A pair that disagrees with the record is repeated in fresh processes. Where it disagrees again, the record itself
  /// is measured anew: either that was out of date, or the candidate changes how fast its neighbour is. Then its time
  /// is held against what the incumbent takes alone.
  std::optional<Outcome> time(Timing& timing);

 private:
  bool agrees(double ns) const;
};

/// Medians of fresh processes of one kernel differ by up to 2.9 % on an H200 (statistics.h); emulation shares its
/// cores.
inline constexpr double kRecordTolerance = 0.03, kRecordToleranceEmulated = 0.5;

/// The verdict and the speedups of a pair, had the incumbent taken so long. `tolerance`: within it they are the same.
void hold_against(Timing& timing, double incumbent_ns, double tolerance);

}  // namespace harness
