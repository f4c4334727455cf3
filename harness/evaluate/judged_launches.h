#pragma once
#include "harness/evaluate/evaluation_run.h"

// Launches at the timed size whose results are judged.
namespace harness {

/// The judged launch: guards, inputs, finite, written, and one comparison per output.
Settled gate_launch(EvaluationRun& run);
/// Gate "determinism": a second launch on the same inputs.
Settled gate_determinism(EvaluationRun& run);
/// Another timed launch on the same inputs; it must give the same bits, where the contract asks for that.
Settled repeat_launch(EvaluationRun& run);
/// The gates of the judged launch again, in the process that was timed.
Settled gate_after_timing(EvaluationRun& run);

}  // namespace harness
