#include <harness/multicast.cuh>
#include <harness/tma.cuh>
#include <harness/warp.cuh>
#include <harness/warpgroup.cuh>

#include "scaled_sums.cuh"

// Idea (playbook 106, 107, 110): wgmma multiplies e4m3 straight from shared memory. One warpgroup only asks TMA for
// slices of a and b, 128 of K and so 128 bytes deep, as far ahead as there are stages; the others have 64 rows by 128
// columns of d each, and only multiply and add.
//
// Scaling and adding up a slice's products in fp32 (scaled_sums.cuh) takes the multiply-add units a quarter of the
// tensor cores' time. It must happen while the tensor cores have work: that of another warpgroup, and with one or two
// warpgroups that of the next slice, which is started before. Three warpgroups have no registers for that; they load
// fewer bytes for a product instead.
//
// With CLUSTER = 2 two blocks, one below the other, need the same slices of b, and each loads half for both.
//
// Blocks stay and take one tile after the other, so slices of the next are under way while one is stored.
//
// Stops: at what the L2 delivers to tiles of 128 columns, and at the tensor cores' rate under the power cap.

namespace {

/// Tiles go down in bands of `group` before they go right, as in gemm: what runs at the same time lies in a square.
struct TileOrder {
  int tiles_m, tiles_n, group;
  __device__ int count() const { return tiles_m * tiles_n; }
  __device__ int2 tile(int n) const {
    const int band = n / (group * tiles_n), within = n - band * group * tiles_n;
    const int rows = min(group, tiles_m - band * group);
    return {band * group + within % rows, within / rows};
  }
};

}  // namespace

template <int WARPGROUPS, int STAGES, int CLUSTER>
__global__ void __launch_bounds__(128 * (WARPGROUPS + 1), 1)
    gemm_fp8_specialized(const __grid_constant__ harness::TensorMap a_map,
                         const __grid_constant__ harness::TensorMap b_map, const float* a_scale, const float* b_scale,
                         __nv_bfloat16* d, int M, int N, int K, int group) {
  constexpr int kRows = 64 * WARPGROUPS, kStage = (kRows + kColumns) * kDeep;
  extern __shared__ __align__(1024) unsigned char shared_memory[];
  __shared__ harness::Mbarrier full[STAGES], empty[STAGES];
  // The blocks of a cluster have tiles one below the other.
  const TileOrder order{(M + CLUSTER * kRows - 1) / (CLUSTER * kRows), (N + kColumns - 1) / kColumns, group};
  const int rank = CLUSTER == 1 ? 0 : static_cast<int>(harness::cluster_rank());
  const int slices = K / kDeep;

  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      harness::mbarrier_init(&full[s], 1);
      harness::mbarrier_init(&empty[s], 4 * WARPGROUPS * CLUSTER);  // the warps that compute, in all blocks
    }
    harness::mbarrier_init_fence();
  }
  if constexpr (CLUSTER == 1) __syncthreads();
  else harness::cluster_sync();

  if (threadIdx.x < 128) {
    harness::give_registers<WARPGROUPS == 3 ? 32 : 24>();
    int stage = 0, parity = 1;
    for (int n = blockIdx.x / CLUSTER; threadIdx.x == 0 && n < order.count(); n += gridDim.x / CLUSTER) {
      const int2 tile = order.tile(n);
      for (int slice = 0; slice < slices; ++slice) {
        unsigned char* const of_a = shared_memory + stage * kStage;
        unsigned char* const of_b = of_a + kRows * kDeep;
        harness::mbarrier_wait(&empty[stage], parity);
        harness::mbarrier_arrive_expect(&full[stage], kStage);
        harness::tma_load(of_a, a_map, &full[stage], slice * kDeep, (tile.x * CLUSTER + rank) * kRows);
        if constexpr (CLUSTER == 1) {
          harness::tma_load(of_b, b_map, &full[stage], slice * kDeep, tile.y * kColumns);
        } else {
          constexpr int kPart = kColumns / CLUSTER;
          harness::tma_load_multicast(of_b + rank * kPart * kDeep, b_map, &full[stage], (1 << CLUSTER) - 1,
                                      slice * kDeep, tile.y * kColumns + rank * kPart);
        }
        if (++stage == STAGES) stage = 0, parity ^= 1;
      }
    }
    if constexpr (CLUSTER > 1) {
      __syncwarp();
      harness::cluster_sync();  // the last loads of the others have come, and their arrivals
    }
    return;
  }

  harness::take_registers<WARPGROUPS == 3 ? 160 : 240>();
  const int warpgroup = harness::uniform(threadIdx.x / 128 - 1), lane = threadIdx.x % 32;
  // A lane for each block of the cluster says there that its warp has read a slice.
  const auto give_back = [&](int stage) {
    if constexpr (CLUSTER == 1) {
      if (lane == 0) harness::mbarrier_arrive(&empty[stage]);
    } else if (lane < CLUSTER) {
      harness::mbarrier_arrive_at(&empty[stage], lane);
    }
  };
  SliceRing ring{shared_memory, full, empty, STAGES, kStage};
  for (int n = blockIdx.x / CLUSTER; n < order.count(); n += gridDim.x / CLUSTER) {
    const int2 tile = order.tile(n);
    const int row = (tile.x * CLUSTER + rank) * kRows + 64 * warpgroup + 16 * (threadIdx.x / 32 % 4) + lane / 4;
    ScaledSums<(WARPGROUPS < 3)> sums;
    sums.add_slices(ring, 64 * warpgroup * kDeep, kRows * kDeep,
                    LaneScales(a_scale, b_scale, row, tile.y * kColumns, M, slices), 0, slices, give_back);
    sums.store(d, row, tile.y * kColumns, M, N);
  }
  if constexpr (CLUSTER > 1) {
    __syncwarp();
    harness::cluster_sync();
  }
}
