#pragma once
#include "harness/core/contract.h"
#include "harness/core/device.h"
#include "harness/core/outcome.h"

namespace harness::judge {

/// The gate "plausibility" over a passed timing. Below the theoretical floor of the work at the device's highest clock
/// a rotating or cold time is impossible: the gate fails, with the sum shown, and nothing is clamped. What was written
/// last need not have left the L2 when the clock stops: a sample's bytes are those of its calls without as much of
/// their outputs as the L2 holds. Below what was measured on the device it passes with a mark ("flagged: ..."). A warm
/// time may beat DRAM honestly and is not judged. Not checked where there is no floor: emulated times, unknown peaks.
GateResult plausibility_gate(const Problem& problem, const DeviceInfo& device, const MeasuredPeaks& measured,
                             const Timing& timing);

}  // namespace harness::judge
