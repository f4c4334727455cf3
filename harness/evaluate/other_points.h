#pragma once
#include "harness/evaluate/evaluation_run.h"

namespace harness {

/// Gates "form:...", "shape" and "sizes": every admitted form of the inputs, at points of the domain that are not
/// timed; a finalist meets them at the timed size as well, and plain inputs at every neighbour.
Settled gate_other_points(EvaluationRun& run);

}  // namespace harness
