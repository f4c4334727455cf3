#pragma once
#include <functional>

#include "harness/core/evaluator.h"

namespace harness {

/// An evaluation that ends badly may be the machine's doing. A candidate is blamed for a crash or a deadline only if
/// that happened twice, the second time while nothing else of this program ran: `alone` evaluates it so, and begins
/// with the very launch that failed. If it passes then, it must pass once more. What kills or stops a candidate's
/// process from outside is never its fault: it is evaluated again, up to ten times, unless the machine's memory ran out
/// meanwhile. What happened first is kept in the gate "repeated", and what every try took is in the costs. Throws
/// Error(environment) if its process was killed from outside every time.
Evaluation evaluate_fairly(const std::function<Evaluation()>& first, const std::function<Evaluation()>& alone);

}  // namespace harness
