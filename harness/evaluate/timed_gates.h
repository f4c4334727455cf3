#pragma once
#include "harness/evaluate/timing.h"

// Whether a time that was measured may be believed.
namespace harness {

/// Gates "timed-twice", "times-agree" and "timed-launch:...": the timed calls did the work.
Settled gate_timed_calls(EvaluationRun& run, const TimedRun& timed);
/// Gate "times-agree": decides nothing yet.
GateResult agreement_of_times(const EvaluationRun& run, const Samples& samples);
/// Gate "plausibility": the time against the device's limits.
Settled gate_plausibility(EvaluationRun& run, const Timing& timing);

}  // namespace harness
