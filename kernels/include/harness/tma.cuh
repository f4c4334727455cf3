#pragma once
#include <harness/mbarrier.cuh>

// Bulk copies by the Tensor Memory Accelerator: one thread asks for a whole tile and does something else meanwhile. A
// TensorMap (made by the host from `tensor_map {...}` in the variant's manifest, taken as `const __grid_constant__
// TensorMap`) holds the tensor's shape and the box that one copy moves; coordinates are those of the box's first
// element, innermost dimension first. What lies outside of the tensor is read as 0 and not written, so tiles at the
// edge need no code. The tile lies in shared memory row after row, swizzled as the map says, at a multiple of 128 bytes
// (of the swizzle's atom for wgmma: 1024 for 128 bytes).
//
// A load reports its bytes to an mbarrier. A store reads shared memory through the async proxy: threads that wrote it
// execute async_proxy_fence() before the barrier behind which one of them stores.
//
// PTX ISA, "cp.async.bulk" and "cp.async.bulk.tensor". sm_90.
namespace harness {

struct alignas(64) TensorMap {
  unsigned long long opaque[16];
};

__device__ inline void tma_load(void* destination, const TensorMap& map, Mbarrier* barrier, int x, int y HARNESS_SITE) {
#ifdef __HARNESS_CPU__
  const int at[] = {x, y};
  harness_cpu_tensor_load(destination, &map, at, 2, barrier, file, line);
#else
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::
          "r"(shared_address(destination)),
      "l"(&map), "r"(shared_address(barrier)), "r"(x), "r"(y)
      : "memory");
#endif
}

__device__ inline void tma_load(void* destination, const TensorMap& map, Mbarrier* barrier, int x, int y,
                                int z HARNESS_SITE) {
#ifdef __HARNESS_CPU__
  const int at[] = {x, y, z};
  harness_cpu_tensor_load(destination, &map, at, 3, barrier, file, line);
#else
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], "
      "[%2];" ::"r"(shared_address(destination)),
      "l"(&map), "r"(shared_address(barrier)), "r"(x), "r"(y), "r"(z)
      : "memory");
#endif
}

__device__ inline void tma_load(void* destination, const TensorMap& map, Mbarrier* barrier, int x, int y, int z,
                                int w HARNESS_SITE) {
#ifdef __HARNESS_CPU__
  const int at[] = {x, y, z, w};
  harness_cpu_tensor_load(destination, &map, at, 4, barrier, file, line);
#else
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6}], "
      "[%2];" ::"r"(shared_address(destination)),
      "l"(&map), "r"(shared_address(barrier)), "r"(x), "r"(y), "r"(z), "r"(w)
      : "memory");
#endif
}

__device__ inline void tma_store(const TensorMap& map, const void* source, int x, int y, int z, int w HARNESS_SITE) {
#ifdef __HARNESS_CPU__
  const int at[] = {x, y, z, w};
  harness_cpu_tensor_store(&map, at, 4, source, file, line);
#else
  asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4, %5}], [%1];" ::"l"(&map),
               "r"(shared_address(source)), "r"(x), "r"(y), "r"(z), "r"(w)
               : "memory");
#endif
}

/// `bytes` next to each other; both addresses and the size are multiples of 16.
__device__ inline void bulk_load(void* destination, const void* source, unsigned bytes,
                                 Mbarrier* barrier HARNESS_SITE) {
#ifdef __HARNESS_CPU__
  harness_cpu_bulk_load(destination, source, bytes, barrier, file, line);
#else
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(destination)),
               "l"(__cvta_generic_to_global(source)), "r"(bytes), "r"(shared_address(barrier))
               : "memory");
#endif
}
__device__ inline void bulk_store(void* destination, const void* source, unsigned bytes HARNESS_SITE) {
#ifdef __HARNESS_CPU__
  harness_cpu_bulk_store(destination, source, bytes, file, line);
#else
  asm volatile(
      "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(destination)),
      "r"(shared_address(source)), "r"(bytes)
      : "memory");
#endif
}

/// The thread's stores since the last commit become a group.
__device__ inline void bulk_commit() {
#ifdef __HARNESS_CPU__
  harness_cpu_bulk_commit();
#else
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#endif
}

/// Until all but the last PENDING groups of the thread have read their shared memory, which may then be used again. A
/// block must not end before.
template <int PENDING>
__device__ inline void bulk_wait_read() {
#ifdef __HARNESS_CPU__
  harness_cpu_bulk_wait(PENDING);
#else
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PENDING) : "memory");
#endif
}

/// What this thread has written to shared memory by ordinary stores is made visible to the async proxy: to bulk stores
/// and to wgmma.
__device__ inline void async_proxy_fence() {
#ifdef __HARNESS_CPU__
  harness_cpu_proxy_fence();
#else
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

}  // namespace harness
