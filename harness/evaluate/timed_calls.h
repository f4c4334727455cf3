#pragma once
#include "harness/core/device.h"
#include "harness/core/outcome.h"

// What the samples of a timing say of the calls behind them, before any time is believed.
namespace harness {

/// Gate "timed-twice": every timed call was launched again on the same values at another address under other poison,
/// and both left the same. `may_differ`: calls that did not are told, and the gate is not met.
GateResult check_twice(const TwiceLaunched& twice, bool may_differ = false);

/// Gate "times-agree": a call whose inputs lie in the L2 is not much slower than one that finds them in DRAM, and a
/// call in a graph of many is not much faster than the same call by itself. Times that contradict each other come from
/// calls that did not all do the work. `fit_l2`: all of a set lies in the L2 after it was drawn; a single call on a
/// larger one finds what is left of it there, and a call in a graph what the calls before it left.
GateResult check_times(const Samples& samples, bool fit_l2);

}  // namespace harness
