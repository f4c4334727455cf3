#pragma once
#include "harness/adopt/observe/attempted.h"

namespace harness::adopt {

/// Where the values of one input say how far arrays go, it may be an index: below a size that the kernel is passed. If
/// every element is the greatest one, all arrays are as large as sizes say.
bool index_guess_holds(const Observing& observing, const Attempted& attempted, const Finish& finish);

}  // namespace harness::adopt
