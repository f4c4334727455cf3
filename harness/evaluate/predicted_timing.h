#pragma once
#include "harness/evaluate/evaluation_run.h"

namespace harness {

/// Whether times are predicted by counting here (DeviceInfo::predicts), and nothing is timed.
bool predicts_times(const EvaluationRun& run);

/// The outcome of PyTorch on a device that emulates GPU code: it was judged, and its time means something else.
Unsupported not_timed_here(const EvaluationRun& run);

/// The time that the model of the GPU expects of the candidate. Settled as Unsupported where it cannot run there or
/// cannot be counted. The incumbent's time is the one that was predicted for it.
Settled predict_timing(EvaluationRun& run, Timing& timing);

}  // namespace harness
