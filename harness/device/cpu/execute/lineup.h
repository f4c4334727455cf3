#pragma once
#include <string>
#include <vector>

#include "harness/device/cpu/execute/scheduler.h"

namespace harness::cpu {

/// Who waits where when no thread of a block can go on: "block (1,0,0): no thread can go on: 32 threads wait in
/// __syncthreads() at k.cu:10; 96 have exited".
std::string describe_lineup(const std::vector<Thread>& threads, const HarnessCpuIndex& block);

/// The threads of one warp wait in different calls of __syncthreads; `late` has just come to `site`.
std::string describe_divergence(const std::vector<Thread>& threads, const HarnessCpuIndex& block, const Thread& late,
                                const Site& site);

}  // namespace harness::cpu
