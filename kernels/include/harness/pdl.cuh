#pragma once

// Programmatic dependent launch (sm_90). A launch with `pdl = true` in the plan may begin while the launch before it
// still runs: its blocks take the places that become free, and what does not depend on the other kernel (indices,
// tables in shared memory, inputs of the plan) is done before grid_dependency_wait(). That hides the gap between two
// launches, about 0.6 us of an H200.
//
// On GPUs before sm_90 a launch begins when the one before it has ended, so both do nothing there. On the cpu device it
// does, too, but checked runs hold what a thread touches before its wait to be concurrent with the other launch: a
// missing wait is a race.
namespace harness {

/// Waits until the grids that this one depends on have ended, and sees what they stored. To be called by every thread
/// that reads what the launch before wrote, or that overwrites what it may still read. Returns at once in a launch
/// without `pdl`. PTX ISA: griddepcontrol.wait.
__device__ inline void grid_dependency_wait() {
#ifdef __HARNESS_CPU__
  harness_cpu_grid_wait();
#elif __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// The launch that follows may begin once all blocks of this one have called this or have ended. It says nothing of
/// memory: the other kernel's wait is for the end of this grid all the same. Early is good where the other kernel
/// leaves room for this one's blocks. PTX ISA: griddepcontrol.launch_dependents.
__device__ inline void grid_launch_dependents() {
#ifdef __HARNESS_CPU__
  harness_cpu_grid_launch();
#elif __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

}  // namespace harness
