#pragma once
#include "harness/device/cpu/guest/harness_cpu/abi.h"

// threadIdx, blockIdx, blockDim and gridDim of the fiber that this host thread is running. Candidates read them as
// thread-local variables of the program (initial-exec), so they cost one load; the scheduler writes them.
extern "C" {
extern thread_local HarnessCpuIndex harness_cpu_thread_idx;
extern thread_local HarnessCpuIndex harness_cpu_block_idx;
extern thread_local HarnessCpuIndex harness_cpu_block_dim;
extern thread_local HarnessCpuIndex harness_cpu_grid_dim;
extern thread_local unsigned harness_cpu_passes;  // atomics and fences since the start: candidates count them
}
