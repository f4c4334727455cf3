#pragma once
#include <string>
#include <vector>

#include "harness/core/iteration_row.h"

namespace harness {

/// What of a recorded iteration can be held against the rest of it.
struct Supported {
  bool samples = false;  // its time is the median of samples that are listed
  bool gates = false;    // gates that passed are listed
  bool floor = false;    // its time is not below its floor
};
Supported supported(const IterationRow& row);

/// What a recorded iteration says that cannot be so, sentences: a time outside of its interval, below its floor or
/// beside the median of its samples; a speedup that is not that of its times; a gate that failed of one that passed;
/// numbers that are not finite or below 0. What this program records holds in all of it. Empty: nothing.
std::vector<std::string> contradictions(const IterationRow& row);

}  // namespace harness
