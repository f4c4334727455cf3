#pragma once
#include "harness/core/evaluator.h"
#include "harness/core/profile.h"

namespace harness {

/// What stands in a timing's place where times are predicted: one sample, of which nothing varies. `ns`: what the
/// profile of the candidate predicts. The request's incumbent and baseline have predicted times, too.
Timing prediction_as_timing(const EvaluationRequest& request, const Profile& profile, double ns);

/// Gate "predicted-twice": a count is the same each time, so that two predictions agree to the digit, unless the
/// candidate accesses something else than its inputs.
GateResult predicted_twice(double ns, double before);

}  // namespace harness
