#pragma once
#include "harness/core/history.h"
#include "harness/store/store.h"

namespace harness::store {

/// What to use where one candidate must serve several workloads. Of a kernel's passed iterations on one device, under
/// the newest contract of each workload:
///   "kernel", "device", "emulation"
///   "workloads"  [{"workload","best_ns","variant","config","iteration","confirmed"}]: the fastest of each
///   "single"     [{"variant","config","workloads","geomean","worst","worst_workload"}]: the least bad first. A
///                slowdown is its time over the workload's best; "geomean" and "worst" are over the "workloads" it has
///                passed on. Those that passed on all come first
///   "dispatch"   [{"candidates","geomean","worst","table":[{"workload","variant","config","regret"}]}]: with 1, 2, ...
///                candidates, each the choice that lowers the mean most, until nothing is lost; regret is a slowdown
/// `filter`: the kernel; a campaign, whose iterations alone are then meant; a device by number or name; none: the one
/// with the most measured workloads, a measured one before an emulated one. Unknown kernels and devices:
/// Error(bad_input).
json recommend(Store& store, const HistoryFilter& filter);

}  // namespace harness::store
