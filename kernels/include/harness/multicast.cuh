#pragma once
#include <harness/cluster.cuh>
#include <harness/tma.cuh>

// One read of global memory for several blocks of a cluster. A multicast load writes its tile to the same place in the
// shared memory of every block whose bit (by rank) is set, and reports its bytes to the mbarrier at the same place in
// each. So every block expects the bytes of what the others load for it as well, and a stage may be filled again only
// once it has been read in all of them: who has read arrives at the mbarriers of all, by mbarrier_arrive_at().
//
// cluster_sync() comes before the first use (the barriers of all must be there) and after the last (nobody ends while
// others write to it or arrive there). PTX ISA: cp.async.bulk.tensor with .multicast::cluster, mapa, mbarrier.arrive
// with .shared::cluster. sm_90.
namespace harness {

__device__ inline void tma_load_multicast(void* destination, const TensorMap& map, Mbarrier* barrier,
                                          unsigned short blocks, int x, int y HARNESS_SITE) {
#ifdef __HARNESS_CPU__
  const int at[] = {x, y};
  harness_cpu_tensor_load_multicast(destination, &map, at, 2, barrier, blocks, file, line);
#else
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1, {%4, %5}], [%2], %3;" ::"r"(shared_address(destination)),
      "l"(&map), "r"(shared_address(barrier)), "h"(blocks), "r"(x), "r"(y)
      : "memory");
#endif
}

/// One arrival at the barrier that block `rank` of the cluster has where this block has `barrier`. For who has read a
/// stage through wgmma and waited for it: the arrival releases nothing to the other block. (With .release.cluster it
/// would flush what the warp has stored, at each slice: a product of 8192^3 took 2.0 ms with it.)
__device__ inline void mbarrier_arrive_at(Mbarrier* barrier, unsigned rank HARNESS_SITE) {
#ifdef __HARNESS_CPU__
  harness_cpu_mbarrier_arrive_at(barrier, rank, file, line);
#else
  asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(cluster_address(barrier, rank))
               : "memory");
#endif
}

}  // namespace harness
