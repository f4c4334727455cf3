#pragma once
#include <optional>

#include "harness/evaluate/evaluation_run.h"

namespace harness {

/// The launch that an evaluation ended with, because the candidate crashed or did not end in time.
struct FailedLaunch {
  Realized realized;  // the point
  DrawId draw;
  double limit_s = 0;  // that it had
};

/// Of an evaluation that has ended; nothing where no launch failed.
std::optional<FailedLaunch> failed_launch(const EvaluationRun& run);

/// Note "repeated": the same launch, on the same inputs at the same point, before anything else of the second try.
/// Where it fails again that is the outcome: another draw or another size proves nothing of this one. The module was
/// built.
Settled repeat_failed_launch(EvaluationRun& run, const FailedLaunch& failed);

}  // namespace harness
