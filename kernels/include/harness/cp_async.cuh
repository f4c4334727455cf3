#pragma once
#include <harness/shared_address.cuh>

// Copies from global to shared memory that go on while the thread computes: PTX ISA, cp.async (sm_80).
//
// A thread gathers its copies into groups: cp_async_commit closes the group of all that it has issued since the last
// one (possibly none). cp_async_wait<N> waits until at most its N youngest groups are still under way. Then the thread
// itself sees what was copied; for the other threads of the block a barrier must follow. Likewise a barrier must lie
// between the last read of a stage and the copies that refill it.
//
// Source and destination must be multiples of BYTES. Only the first `valid` bytes (0 ... BYTES) are read, the rest of
// the destination becomes 0: with valid = 0 the source is not touched and may lie anywhere.
//
// On the cpu device a copy is made when a wait asks for it in some blocks, and at once in the others (they change from
// launch to launch), so both a missing wait and a stage that is refilled too early give wrong answers.
namespace harness {

/// BYTES is 4, 8 or 16. Copies of 16 go past the L1 (.cg), smaller ones through it (.ca).
template <int BYTES>
__device__ inline void cp_async(void* shared, const void* global, int valid = BYTES) {
  static_assert(BYTES == 4 || BYTES == 8 || BYTES == 16, "cp.async copies 4, 8 or 16 bytes");
#ifdef __HARNESS_CPU__
  harness_cpu_cp_async(shared, global, BYTES, valid);
#else
  if constexpr (BYTES == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :
                 : "r"(shared_address(shared)), "l"(global), "r"(valid)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;"
                 :
                 : "r"(shared_address(shared)), "l"(global), "n"(BYTES), "r"(valid)
                 : "memory");
#endif
}

__device__ inline void cp_async_commit() {
#ifdef __HARNESS_CPU__
  harness_cpu_cp_async_commit();
#else
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits until at most the N youngest groups of this thread are under way.
template <int N>
__device__ inline void cp_async_wait() {
#ifdef __HARNESS_CPU__
  harness_cpu_cp_async_wait(N);
#else
  asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
#endif
}

/// Waits for all copies of this thread, also those of no group.
__device__ inline void cp_async_wait_all() {
#ifdef __HARNESS_CPU__
  harness_cpu_cp_async_wait(-1);
#else
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

}  // namespace harness
