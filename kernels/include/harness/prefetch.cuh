#pragma once
#include <harness/shared_address.cuh>

// Asks for memory that is needed later: it comes into the L2 while something else is done. Nothing waits for it, and it
// changes no result: the cpu device does nothing.
namespace harness {

/// One thread asks for a whole row. `from` and `bytes` are multiples of 16. PTX ISA: cp.async.bulk.prefetch.L2 (sm_90).
__device__ inline void prefetch_row(const void* from, int bytes) {
#ifndef __HARNESS_CPU__
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(from)), "r"(bytes));
#else
  (void)from, (void)bytes;
#endif
}

/// The line of 128 bytes that `at` lies in. PTX ISA: prefetch.global.L2.
__device__ inline void prefetch_line(const void* at) {
#ifndef __HARNESS_CPU__
  asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(at)));
#else
  (void)at;
#endif
}

}  // namespace harness
