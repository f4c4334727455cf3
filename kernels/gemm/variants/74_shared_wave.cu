#include "leaving_tile.cuh"
#include "partial_sums.cuh"
#include "tile_order.cuh"
#include "wgmma_tile.cuh"

// Idea (playbook 121): 72_overlapped, whose last wave of tiles takes as long as a full one: 3000 x 10240 has 960 tiles
// of 128 x 256, which are 7.3 waves of 132 and take 8. Here the tiles that make no whole wave are cut along K into
// equal pieces for all blocks (shared_wave.cuh), so that 7.3 waves take 7.3.
//
// Sums of a tile that several blocks have pieces of meet in device memory (partial_sums.cuh), from where the block that
// comes last takes them.
//
// Cost: 128 KB to the L2 and back for a piece, in which the tensor cores rest; that is 0.04 waves where K = 4096.
//
// Stops: at the tensor cores' rate under the power cap.
template <class T, class Out, bool BIAS, bool GELU, bool SILU, bool OTHER, bool RESIDUAL, bool LINEAR, int WARPGROUPS,
          int ROWS, int BLOCK_N, int STAGES, int PARTS>
__global__ void __launch_bounds__(128 * (WARPGROUPS + 1), 1)
    gemm_shared_wave(const __grid_constant__ harness::TensorMap a_map, const __grid_constant__ harness::TensorMap b_map,
                     const __grid_constant__ harness::TensorMap source_map,
                     const __grid_constant__ harness::TensorMap d_map, const T* bias, float4* partial_sums,
                     unsigned* counters, int M, int N, int K, int group, int most) {
  constexpr int kBlockM = 64 * WARPGROUPS * ROWS;
  using Slice = Slices<T, LINEAR, kBlockM, BLOCK_N, 1>;
  using Leaving = LeavingTile<T, Out, BIAS, GELU, SILU, OTHER, RESIDUAL, ROWS, BLOCK_N, PARTS>;
  extern __shared__ __align__(1024) unsigned char shared_memory[];
  __shared__ harness::Mbarrier full[STAGES], empty[STAGES], arrived[4 * WARPGROUPS][PARTS];
  T* const stages = reinterpret_cast<T*>(shared_memory);
  const TileOrder order(M, N, kBlockM, BLOCK_N, group);
  SharedWave wave(order.count(), (K + Slice::kDeep - 1) / Slice::kDeep, most);
  Piece piece;

  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      harness::mbarrier_init(&full[s], 1);
      harness::mbarrier_init(&empty[s], 4 * WARPGROUPS);  // the warps that compute
    }
    for (auto& of_warp : arrived) Leaving::init(of_warp);
    harness::mbarrier_init_fence();
  }
  __syncthreads();

  if (threadIdx.x < 128) {
    harness::give_registers<WARPGROUPS == 1 ? 24 : WARPGROUPS == 2 ? 40 : 32>();
    int stage = 0, parity = 1;
    while (threadIdx.x == 0 && wave.next(piece)) {
      const int2 tile = order.tile(piece.tile);
      for (int slice = piece.begin; slice < piece.end; ++slice) {
        harness::mbarrier_wait(&empty[stage], parity);
        harness::mbarrier_arrive_expect(&full[stage], Slice::kBytes);
        Slice::load(stages + stage * Slice::kStage, a_map, b_map, &full[stage], slice, tile.x * kBlockM,
                    tile.y * BLOCK_N, 0);
        if (++stage == STAGES) stage = 0, parity ^= 1;
      }
    }
    return;
  }

  harness::take_registers<WARPGROUPS == 1 ? 240 : WARPGROUPS == 2 ? 232 : 160>();
  const int warp = harness::uniform(threadIdx.x / 32 - 4), lane = threadIdx.x % 32;
  const int own_row = warp / 4 * ROWS * 64;  // of the warpgroup
  WgmmaTile<T, LINEAR, ROWS, BLOCK_N> sums;
  constexpr int kSums = ROWS * BLOCK_N / 2;  // of a lane
  const PartialSums<kSums, 4 * WARPGROUPS> partials{partial_sums, counters};
  unsigned char* const places = shared_memory + STAGES * Slice::kBytes + warp * PARTS * Leaving::kBytes;
  Leaving leaving{d_map, source_map, bias, N, places, arrived[warp]};
  int stage = 0, parity = 0, before = 0;
  while (wave.next(piece)) {
    const int2 tile = order.tile(piece.tile);
    const int row = tile.x * kBlockM + own_row + 16 * (warp % 4), column = tile.y * BLOCK_N;
    const bool whole = wave.is_whole(piece);
    const int asks_at = min(piece.begin + 2, piece.end - 1);  // until then what the tile before has stored is read
    for (int slice = piece.begin; slice < piece.end; ++slice) {
      harness::mbarrier_wait(&full[stage], parity);
      const T* const at = stages + stage * Slice::kStage;
      sums.multiply(at + own_row * Slice::kDeep, at + Slice::kA, slice == piece.begin);
      if (slice > piece.begin) {
        harness::wgmma_wait<1>();
        if (lane == 0) harness::mbarrier_arrive(&empty[before]);
      }
      if (whole && slice == asks_at) leaving.ask(row, column);
      before = stage;
      if (++stage == STAGES) stage = 0, parity ^= 1;
    }
    harness::wgmma_wait<0>();
    if (lane == 0) harness::mbarrier_arrive(&empty[before]);
    if (!whole) {
      if (!partials.complete(reinterpret_cast<float(&)[kSums]>(sums.sum), wave, piece, warp)) continue;
      leaving.ask(row, column);
    }
    leaving.store(sums.sum, row, column);
  }
  leaving.end();
}
