#pragma once
#include <harness/site.cuh>

// How the warps of a block share its registers and its time. sm_90.
namespace harness {

/// Registers of each thread from here on: a multiple of 8 from 24 to 256. Executed by all warps of a warpgroup (four
/// warps, the first a multiple of four); the kernel must state __launch_bounds__(threads, 1). A producer that only
/// starts copies gives registers away, and the warpgroups that compute take them (PTX ISA: setmaxnreg).
template <int REGISTERS>
__device__ inline void give_registers() {
#ifndef __HARNESS_CPU__
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(REGISTERS));
#endif
}
template <int REGISTERS>
__device__ inline void take_registers() {
#ifndef __HARNESS_CPU__
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGISTERS));
#endif
}

/// Barrier ID (1 to 15; 0 is __syncthreads) of `threads` threads, whole warps: waits until so many have come. The
/// number is a template argument because a number in a register reserves all sixteen (PTX ISA: barrier.cta).
template <int ID>
__device__ inline void named_barrier_sync(unsigned threads HARNESS_SITE) {
#ifdef __HARNESS_CPU__
  harness_cpu_barrier(ID, threads, harness_cpu_no_result, 0, "named_barrier_sync()", file, line);
#else
  asm volatile("bar.sync %0, %1;" ::"n"(ID), "r"(threads) : "memory");
#endif
}
/// Counts as having come and goes on.
template <int ID>
__device__ inline void named_barrier_arrive(unsigned threads HARNESS_SITE) {
#ifdef __HARNESS_CPU__
  harness_cpu_barrier_arrive(ID, threads, file, line);
#else
  asm volatile("bar.arrive %0, %1;" ::"n"(ID), "r"(threads) : "memory");
#endif
}

/// True in one lane of the converged warp (PTX ISA: elect.sync).
__device__ inline bool elect_one() {
#ifdef __HARNESS_CPU__
  return harness_cpu_lane() == 0;
#else
  unsigned elected;
  asm volatile(
      "{\n.reg .pred p;\n"
      "elect.sync _|p, 0xffffffff;\n"
      "selp.u32 %0, 1, 0, p;\n}"
      : "=r"(elected));
  return elected != 0;
#endif
}

}  // namespace harness
