#pragma once
#include <harness/shared_address.cuh>

// Asks for memory that is needed later: it comes into the L2 while something else is done. One thread asks for a whole
// row. `from` and `bytes` are multiples of 16. PTX ISA: cp.async.bulk.prefetch.L2 (sm_90). Nothing waits for it, and it
// changes no result: the cpu device does nothing.
namespace harness {

__device__ inline void prefetch_row(const void* from, int bytes) {
#ifndef __HARNESS_CPU__
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(from)), "r"(bytes));
#else
  (void)from, (void)bytes;
#endif
}

}  // namespace harness
