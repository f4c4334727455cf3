#pragma once
#include <harness/tma.cuh>

// A tile of a matrix from shared memory to device memory by one thread: see tma.cuh, which has loads, the groups of
// stores and the fence that comes before them. Rows and columns of the tile that lie outside of the matrix are left
// out. PTX ISA, "cp.async.bulk.tensor". sm_90.
namespace harness {

__device__ inline void tma_store(const TensorMap& map, const void* source, int x, int y HARNESS_SITE) {
#ifdef __HARNESS_CPU__
  const int at[] = {x, y};
  harness_cpu_tensor_store(&map, at, 2, source, file, line);
#else
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&map),
               "r"(shared_address(source)), "r"(x), "r"(y)
               : "memory");
#endif
}

}  // namespace harness
