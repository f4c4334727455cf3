#pragma once
#include <harness/tma.cuh>

// A bulk copy that adds fp32 numbers to device memory instead of storing them: one thread asks, and no warp waits or
// issues an atomic. The sums come in any order. Groups, the wait until shared memory has been read, and the fence that
// comes before are those of bulk_store() (tma.cuh). PTX ISA, "cp.reduce.async.bulk". sm_90.
namespace harness {

/// `bytes` next to each other; both addresses and the size are multiples of 16.
__device__ inline void bulk_add(float* destination, const float* source, unsigned bytes) {
#ifdef __HARNESS_CPU__
  for (unsigned i = 0; i < bytes / 4; ++i) atomicAdd(destination + i, source[i]);
#else
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(
                   __cvta_generic_to_global(destination)),
               "r"(shared_address(source)), "r"(bytes)
               : "memory");
#endif
}

}  // namespace harness
