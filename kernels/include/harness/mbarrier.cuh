#pragma once
#include <harness/shared_address.cuh>
#include <harness/site.cuh>

// An mbarrier is 8 bytes of shared memory that count what a *phase* still waits for: arrivals of threads and bytes of
// asynchronous copies. When both counts are zero the phase is complete and the next one begins, with the same number of
// arrivals. Waiters name a phase by its parity: the first is 0, then 1, 0, 1... A barrier that has just been
// initialized counts as having completed a phase of parity 1.
//
// In a ring of stages a producer waits for `empty` and fills, a consumer waits for `full` and reads. When a stage is
// used for the n-th time (n = 0, 1, ...) the consumer waits for parity n & 1 of full, the producer for the opposite
// parity of empty, which lets its first round pass.
//
// PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier". sm_90.
namespace harness {

using Mbarrier = unsigned long long;

/// By one thread, before anybody uses the barrier; then mbarrier_init_fence() by that thread, and all who use it
/// meet: at a __syncthreads(), or at a __syncwarp() where the barrier is a warp's own.
__device__ inline void mbarrier_init(Mbarrier* barrier, unsigned arrivals HARNESS_SITE) {
#ifdef __HARNESS_CPU__
  harness_cpu_mbarrier_init(barrier, arrivals, file, line);
#else
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
#endif
}

/// Makes initialized barriers visible to the async proxy, and to the other blocks of a cluster.
__device__ inline void mbarrier_init_fence() {
#ifndef __HARNESS_CPU__
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

/// One arrival. What the thread did before is visible to whoever waits for the phase.
__device__ inline void mbarrier_arrive(Mbarrier* barrier HARNESS_SITE) {
#ifdef __HARNESS_CPU__
  harness_cpu_mbarrier_arrive(barrier, 1, 0, file, line);
#else
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
#endif
}

/// One arrival of a thread that has started copies, or is about to: the phase also waits for `bytes` of them.
__device__ inline void mbarrier_arrive_expect(Mbarrier* barrier, unsigned bytes HARNESS_SITE) {
#ifdef __HARNESS_CPU__
  harness_cpu_mbarrier_arrive(barrier, 1, bytes, file, line);
#else
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
#endif
}

/// Whether the phase of that parity has completed. May suspend the thread for a while first.
__device__ inline bool mbarrier_test(Mbarrier* barrier, unsigned parity HARNESS_SITE) {
#ifdef __HARNESS_CPU__
  return harness_cpu_mbarrier_test(barrier, parity, file, line) != 0;
#else
  unsigned done;
  asm volatile(
      "{\n.reg .pred p;\n"
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
      "selp.u32 %0, 1, 0, p;\n}"
      : "=r"(done)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
  return done != 0;
#endif
}

/// Waits until the phase of that parity has completed.
__device__ inline void mbarrier_wait(Mbarrier* barrier, unsigned parity HARNESS_SITE) {
#ifdef __HARNESS_CPU__
  harness_cpu_mbarrier_wait(barrier, parity, file, line);
#else
  while (!mbarrier_test(barrier, parity)) {
  }
#endif
}

}  // namespace harness
