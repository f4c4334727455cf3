#include "tile_order.cuh"
#include "wgmma_tile.cuh"

// Idea (playbook 106, 107): wgmma multiplies 64 rows by up to 256 columns straight from shared memory, and runs beside
// the warps that asked for it. One warpgroup only asks TMA for slices of a and b, as far ahead as there are stages; the
// others only multiply. As many blocks as there are multiprocessors stay and take one tile after the other, so the
// slices of the next tile are on their way while the sums of this one are stored.
//
// With CLUSTER = 2 two blocks side by side need the same slices of b, and each loads half for both: the L2 delivers a
// third less.
//
// Each warpgroup keeps one slice's products under way: a stage is given back when the products of the next slice have
// been started and its own are done.
//
// What the epilogue reads is asked for while the tile is multiplied: by the time it is needed it is in the L2.
//
// Stops: at what the L2 delivers where tiles are small, at the last wave of tiles, at the tensor cores' rate under the
// power cap.
template <class T, class Out, bool BIAS, bool GELU, bool SILU, bool OTHER, bool RESIDUAL, bool LINEAR, int WARPGROUPS,
          int ROWS, int BLOCK_N, int STAGES, int CLUSTER>
__global__ void __launch_bounds__(128 * (WARPGROUPS + 1), 1)
    gemm_specialized(const __grid_constant__ harness::TensorMap a_map, const __grid_constant__ harness::TensorMap b_map,
                     const T* bias, const T* other, const T* residual, Out* d, int M, int N, int K, long long ldd,
                     int group) {
  constexpr int kBlockM = 64 * WARPGROUPS * ROWS;
  using Slice = Slices<T, LINEAR, kBlockM, BLOCK_N, CLUSTER>;
  extern __shared__ __align__(1024) unsigned char shared_memory[];
  __shared__ harness::Mbarrier full[STAGES], empty[STAGES];
  T* const stages = reinterpret_cast<T*>(shared_memory);
  // The blocks of a cluster have tiles one below the other.
  const TileOrder order(M, N, CLUSTER * kBlockM, BLOCK_N, group);
  const int rank = CLUSTER == 1 ? 0 : static_cast<int>(harness::cluster_rank());
  const int slices = (K + Slice::kDeep - 1) / Slice::kDeep;
  const Epilogue<T, Out, BIAS, GELU, SILU, OTHER, RESIDUAL> epilogue{d, bias, other, residual, M, N, ldd};

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
        harness::mbarrier_wait(&empty[stage], parity);
        harness::mbarrier_arrive_expect(&full[stage], Slice::kBytes);
        Slice::load(stages + stage * Slice::kStage, a_map, b_map, &full[stage], slice,
                    (tile.x * CLUSTER + rank) * kBlockM, tile.y * BLOCK_N, rank);
        if (++stage == STAGES) stage = 0, parity ^= 1;
        if (slice == min(STAGES, slices) - 1)  // all stages are on their way: there is time
          for (int row = 0; (OTHER || RESIDUAL) && row < kBlockM; ++row)
            epilogue.prefetch((tile.x * CLUSTER + rank) * kBlockM + row, tile.y * BLOCK_N, BLOCK_N);
      }
    }
    if constexpr (CLUSTER > 1) {
      __syncwarp();
      harness::cluster_sync();  // the last loads of the others have come, and their arrivals
    }
    return;
  }

  harness::take_registers<WARPGROUPS == 3 ? 160 : 240>();
  const int warpgroup = harness::uniform(threadIdx.x / 128 - 1), own_row = warpgroup * ROWS * 64;
  // A lane for each block of the cluster says there that its warp has read a slice.
  const int lane = threadIdx.x % 32;
  const auto give_back = [&](int stage) {
    if (lane >= CLUSTER) return;
    if constexpr (CLUSTER == 1) harness::mbarrier_arrive(&empty[stage]);
    else harness::mbarrier_arrive_at(&empty[stage], lane);
  };
  WgmmaTile<T, LINEAR, ROWS, BLOCK_N> sums;
  int stage = 0, parity = 0, before = 0;
  for (int n = blockIdx.x / CLUSTER; n < order.count(); n += gridDim.x / CLUSTER) {
    const int2 tile = order.tile(n);
    for (int slice = 0; slice < slices; ++slice) {
      harness::mbarrier_wait(&full[stage], parity);
      const T* const at = stages + stage * Slice::kStage;
      sums.multiply(at + own_row * Slice::kDeep, at + Slice::kA, slice == 0);
      if (slice > 0) {
        harness::wgmma_wait<1>();
        give_back(before);
      }
      before = stage;
      if (++stage == STAGES) stage = 0, parity ^= 1;
    }
    harness::wgmma_wait<0>();
    give_back(before);
    sums.store(epilogue, (tile.x * CLUSTER + rank) * kBlockM + own_row, tile.y * BLOCK_N);
  }
  if constexpr (CLUSTER > 1) {
    __syncwarp();
    harness::cluster_sync();
  }
}
