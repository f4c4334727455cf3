#include "leaving_tile.cuh"
#include "tile_order.cuh"
#include "wgmma_tile.cuh"

// Idea (playbook 110): 70_specialized, whose tensor cores rest from the last slice of a tile until its sums have left
// the registers. All blocks come there at about the same time, so d and what is added to it cross the L2 while nobody
// multiplies: with a residual of 6000 x 4096, K = 4096, that is a tenth of the time.
//
// Here a warp leaves its sums in shared memory and goes on to the next tile; TMA takes them from there, and has brought
// the residual there while the tile was multiplied (leaving_tile.cuh). The tensor cores rest for the conversion alone.
//
// The room for that is a stage less, or 32 KB that 4 stages of 128 x 256 leave. Tiles of more shapes (256 x 128,
// 192 x 192) make the last wave of tiles a full one: see `start` in the manifest.
//
// Stops: at the tensor cores' rate under the power cap, and where no shape of tiles fills the last wave.
template <class T, class Out, bool BIAS, bool GELU, bool SILU, bool OTHER, bool RESIDUAL, bool LINEAR, int WARPGROUPS,
          int ROWS, int BLOCK_N, int STAGES, int PARTS, int CLUSTER>
__global__ void __launch_bounds__(128 * (WARPGROUPS + 1), 1)
    gemm_overlapped(const __grid_constant__ harness::TensorMap a_map, const __grid_constant__ harness::TensorMap b_map,
                    const __grid_constant__ harness::TensorMap source_map,
                    const __grid_constant__ harness::TensorMap d_map, const T* bias, int M, int N, int K, int group) {
  constexpr int kBlockM = 64 * WARPGROUPS * ROWS;
  using Slice = Slices<T, LINEAR, kBlockM, BLOCK_N, CLUSTER>;
  using Leaving = LeavingTile<T, Out, BIAS, GELU, SILU, OTHER, RESIDUAL, ROWS, BLOCK_N, PARTS>;
  extern __shared__ __align__(1024) unsigned char shared_memory[];
  __shared__ harness::Mbarrier full[STAGES], empty[STAGES], arrived[4 * WARPGROUPS][PARTS];
  T* const stages = reinterpret_cast<T*>(shared_memory);
  // The blocks of a cluster have tiles one below the other.
  const TileOrder order(M, N, CLUSTER * kBlockM, BLOCK_N, group);
  const int rank = CLUSTER == 1 ? 0 : static_cast<int>(harness::cluster_rank());
  const int slices = (K + Slice::kDeep - 1) / Slice::kDeep;

  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      harness::mbarrier_init(&full[s], 1);
      harness::mbarrier_init(&empty[s], 4 * WARPGROUPS * CLUSTER);  // the warps that compute, in all blocks
    }
    for (auto& of_warp : arrived) Leaving::init(of_warp);
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
      }
    }
    if constexpr (CLUSTER > 1) {
      __syncwarp();
      harness::cluster_sync();  // the last loads of the others have come, and their arrivals
    }
    return;
  }

  harness::take_registers<WARPGROUPS == 3 ? 160 : 240>();
  const int warp = harness::uniform(threadIdx.x / 32 - 4), lane = threadIdx.x % 32;
  const int own_row = warp / 4 * ROWS * 64;  // of the warpgroup
  // A lane for each block of the cluster says there that its warp has read a slice.
  const auto give_back = [&](int stage) {
    if (lane >= CLUSTER) return;
    if constexpr (CLUSTER == 1) harness::mbarrier_arrive(&empty[stage]);
    else harness::mbarrier_arrive_at(&empty[stage], lane);
  };
  WgmmaTile<T, LINEAR, ROWS, BLOCK_N> sums;
  unsigned char* const places = shared_memory + STAGES * Slice::kBytes + warp * PARTS * Leaving::kBytes;
  Leaving leaving{d_map, source_map, bias, N, places, arrived[warp]};
  const int asks_at = min(2, slices - 1);  // until then what the tile before has stored is read
  int stage = 0, parity = 0, before = 0;
  for (int n = blockIdx.x / CLUSTER; n < order.count(); n += gridDim.x / CLUSTER) {
    const int2 tile = order.tile(n);
    const int row = (tile.x * CLUSTER + rank) * kBlockM + own_row + 16 * (warp % 4), column = tile.y * BLOCK_N;
    for (int slice = 0; slice < slices; ++slice) {
      harness::mbarrier_wait(&full[stage], parity);
      const T* const at = stages + stage * Slice::kStage;
      sums.multiply(at + own_row * Slice::kDeep, at + Slice::kA, slice == 0);
      if (slice > 0) {
        harness::wgmma_wait<1>();
        give_back(before);
      }
      if (slice == asks_at) leaving.ask(row, column);
      before = stage;
      if (++stage == STAGES) stage = 0, parity ^= 1;
    }
    harness::wgmma_wait<0>();
    give_back(before);
    leaving.store(sums.sum, row, column);
  }
  leaving.end();
  if constexpr (CLUSTER > 1) {
    __syncwarp();
    harness::cluster_sync();
  }
}
