#include "tile_order.cuh"
#include "wgmma_tile.cuh"

// Idea (playbook 106, 107): wgmma multiplies 64 rows by up to 256 columns straight from shared memory, and runs beside
// the warps that asked for it. One warpgroup only asks TMA for slices of a and b, as far ahead as there are stages; the
// others only multiply. As many blocks as there are multiprocessors stay and take one tile after the other, so the
// slices of the next tile are on their way while the sums of this one are stored.
//
// Each warpgroup keeps one slice's products under way: a stage is given back when the products of the next slice have
// been started and its own are done.
// Stops: at what the L2 delivers where tiles are small, at the last wave of tiles, at the tensor cores' rate under the
// power cap.
template <class T, class Out, bool BIAS, bool GELU, bool SILU, bool OTHER, bool RESIDUAL, bool LINEAR, int WARPGROUPS,
          int ROWS, int BLOCK_N, int STAGES>
__global__ void __launch_bounds__(128 * (WARPGROUPS + 1), 1)
    gemm_specialized(const __grid_constant__ harness::TensorMap a_map, const __grid_constant__ harness::TensorMap b_map,
                     const T* bias, const T* other, const T* residual, Out* d, int M, int N, int K, long long ldd,
                     int group) {
  constexpr int kBlockM = 64 * WARPGROUPS * ROWS;
  using Slice = Slices<T, LINEAR, kBlockM, BLOCK_N>;
  extern __shared__ __align__(1024) unsigned char shared_memory[];
  __shared__ harness::Mbarrier full[STAGES], empty[STAGES];
  T* const stages = reinterpret_cast<T*>(shared_memory);
  const TileOrder order(M, N, kBlockM, BLOCK_N, group);
  const int slices = (K + Slice::kDeep - 1) / Slice::kDeep;

  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      harness::mbarrier_init(&full[s], 1);
      harness::mbarrier_init(&empty[s], 4 * WARPGROUPS);  // the warps that compute
    }
    harness::mbarrier_init_fence();
  }
  __syncthreads();

  if (threadIdx.x < 128) {
    harness::give_registers<WARPGROUPS == 3 ? 32 : 24>();
    if (threadIdx.x != 0) return;
    int stage = 0, parity = 1;
    for (int n = blockIdx.x; n < order.count(); n += gridDim.x) {
      const int2 tile = order.tile(n);
      for (int slice = 0; slice < slices; ++slice) {
        harness::mbarrier_wait(&empty[stage], parity);
        harness::mbarrier_arrive_expect(&full[stage], Slice::kBytes);
        Slice::load(stages + stage * Slice::kStage, a_map, b_map, &full[stage], slice, tile.x * kBlockM,
                    tile.y * BLOCK_N);
        if (++stage == STAGES) stage = 0, parity ^= 1;
      }
    }
    return;
  }

  harness::take_registers<WARPGROUPS == 3 ? 160 : 240>();
  const int warpgroup = harness::uniform(threadIdx.x / 128 - 1), own_row = warpgroup * ROWS * 64;
  const bool speaks = threadIdx.x % 32 == 0;  // for its warp
  const Epilogue<T, Out, BIAS, GELU, SILU, OTHER, RESIDUAL> epilogue{d, bias, other, residual, M, N, ldd};
  WgmmaTile<T, LINEAR, ROWS, BLOCK_N> sums;
  int stage = 0, parity = 0, before = 0;
  for (int n = blockIdx.x; n < order.count(); n += gridDim.x) {
    const int2 tile = order.tile(n);
    for (int slice = 0; slice < slices; ++slice) {
      harness::mbarrier_wait(&full[stage], parity);
      const T* const at = stages + stage * Slice::kStage;
      sums.multiply(at + own_row * Slice::kDeep, at + Slice::kA, slice == 0);
      if (slice > 0) {
        harness::wgmma_wait<1>();
        if (speaks) harness::mbarrier_arrive(&empty[before]);
      }
      before = stage;
      if (++stage == STAGES) stage = 0, parity ^= 1;
    }
    harness::wgmma_wait<0>();
    if (speaks) harness::mbarrier_arrive(&empty[before]);
    sums.store(epilogue, tile.x * kBlockM + own_row, tile.y * BLOCK_N);
  }
}
