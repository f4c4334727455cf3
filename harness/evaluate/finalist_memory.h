#pragma once
#include "harness/evaluate/evaluation_run.h"

namespace harness {

/// A small point of the domain tells a memory checker as much as the timed size in a hundredth of the time: a middle
/// one by work, or the largest of the small ones where instrumented code is not emulated. Emulated, it is the first
/// from there on that has twice as many blocks as the device holds at once.
const Realized& place_of_memory_check(const std::vector<Realized>& all, const Realized& otherwise,
                                      const DeviceInfo& device);

/// Begins the instrumented builds of what may become a finalist: they take seconds that nobody should wait for.
void announce_finalist(EvaluationRun& run);

/// Gates "memory:...": a finalist under every memory checker of the device.
Settled gate_memory(EvaluationRun& run);

}  // namespace harness
