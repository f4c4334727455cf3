#include <harness/tma.cuh>
#include <harness/warp.cuh>
#include <harness/wgmma_narrow.cuh>

#include "epilogue.cuh"
#include "partial_sums.cuh"

// Idea (playbook 112, 121): 60_narrow, whose blocks do not fill the device: 6144 columns are 96 tiles of 64, so 36 of
// 132 multiprocessors ask for nothing, or with K in two parts some have one tile and some two. Here one block stays on
// each multiprocessor, and what makes no whole wave of tiles is cut into equal pieces along K (shared_wave.cuh). So
// each multiprocessor reads as many bytes of b as any other, and has the next piece on its way while it ends one.
//
// No block waits for another: sums meet in device memory (partial_sums.cuh), 4 KB for 64 x 16, and who comes last has
// them. In shared memory a warp turns its 16 columns by itself.
//
// Cost: a fence, an atomic and a trip to the L2 behind the last product, about 1.5 us. Where K and N are small, that is
// more than a cluster takes (60_narrow).
//
// Stops: at the rate of the device memory.
template <class T, class Out, bool BIAS, bool GELU, bool SILU, bool OTHER, bool RESIDUAL, int WARPGROUPS, int TOKENS,
          int STAGES>
__global__ void __launch_bounds__(128 * WARPGROUPS + 32)
    gemm_shared_line(const __grid_constant__ harness::TensorMap a_map, const __grid_constant__ harness::TensorMap b_map,
                     const T* bias, const T* other, const T* residual, Out* d, float4* partial_sums, unsigned* counters,
                     int M, int N, int K, long long ldd, int most) {
  constexpr int kDeep = 64, kColumns = 64 * WARPGROUPS, kOfB = kColumns * kDeep, kStage = kOfB + TOKENS * kDeep;
  constexpr int kSums = TOKENS / 2;  // of a lane
  constexpr int kRow = 20;           // of 16 columns, with four floats more: the lanes of a warp are in different banks
  extern __shared__ __align__(1024) unsigned char shared_memory[];
  __shared__ harness::Mbarrier full[STAGES], empty[STAGES];
  T* const stages = reinterpret_cast<T*>(shared_memory);
  const int tiles_m = (M + TOKENS - 1) / TOKENS, tiles_n = (N + kColumns - 1) / kColumns;
  SharedWave wave(tiles_m * tiles_n, (K + kDeep - 1) / kDeep, most);
  Piece piece;
  const Epilogue<T, Out, BIAS, GELU, SILU, OTHER, RESIDUAL> epilogue{d, bias, other, residual, M, N, ldd};
  const int warp = harness::uniform(threadIdx.x / 32), lane = threadIdx.x % 32;

  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      harness::mbarrier_init(&full[s], 1);
      harness::mbarrier_init(&empty[s], 4 * WARPGROUPS);
    }
    harness::mbarrier_init_fence();
  }
  __syncthreads();

  int stage = 0;
  if (warp == 4 * WARPGROUPS) {  // asks for slices, and for what the epilogue will read where it probably ends here
    int parity = 1;
    while (wave.next(piece)) {
      const int first_row = piece.tile % tiles_m * TOKENS, first_column = piece.tile / tiles_m * kColumns;
      for (int row = lane; (OTHER || RESIDUAL) && piece.begin == 0 && row < TOKENS; row += 32)
        epilogue.prefetch(first_row + row, first_column, kColumns);
      for (int slice = piece.begin; lane == 0 && slice < piece.end; ++slice) {
        T* const at = stages + stage * kStage;
        harness::mbarrier_wait(&empty[stage], parity);
        harness::mbarrier_arrive_expect(&full[stage], 2 * kStage);
        harness::tma_load(at, b_map, &full[stage], slice * kDeep, first_column);
        harness::tma_load(at + kOfB, a_map, &full[stage], slice * kDeep, first_row);
        if (++stage == STAGES) stage = 0, parity ^= 1;
      }
      __syncwarp();
    }
    return;
  }

  const PartialSums<kSums, 4 * WARPGROUPS> partials{partial_sums, counters};
  float* const turned = reinterpret_cast<float*>(shared_memory + STAGES * 2 * kStage) + warp * TOKENS * kRow;
  int parity = 0, before = 0;
  while (wave.next(piece)) {
    const int first_row = piece.tile % tiles_m * TOKENS;
    const int first_column = piece.tile / tiles_m * kColumns + 16 * warp;  // of this warp
    float sum[kSums];
    for (int slice = piece.begin; slice < piece.end; ++slice) {
      harness::mbarrier_wait(&full[stage], parity);
      const T* const at = stages + stage * kStage;
      const unsigned long long of_b = harness::wgmma_descriptor(at + warp / 4 * 64 * kDeep);
      const unsigned long long of_a = harness::wgmma_descriptor(at + kOfB);
      harness::wgmma_fence();
#pragma unroll
      for (int step = 0; step < 4; ++step)
        harness::wgmma<T, TOKENS>(sum, harness::wgmma_advance(of_b, step * 32), harness::wgmma_advance(of_a, step * 32),
                                  step > 0 || slice > piece.begin);
      harness::wgmma_commit();
      if (slice > piece.begin) {
        harness::wgmma_wait<1>();
        if (lane == 0) harness::mbarrier_arrive(&empty[before]);
      }
      before = stage;
      if (++stage == STAGES) stage = 0, parity ^= 1;
    }
    harness::wgmma_wait<0>();
    harness::wgmma_pin(sum);
    if (lane == 0) harness::mbarrier_arrive(&empty[before]);
    __syncwarp();
    if (!wave.is_whole(piece) && !partials.complete(sum, wave, piece, warp)) continue;

      // The sums are those of d transposed: 16 columns of d by TOKENS rows.
#pragma unroll
    for (int j = 0; j < TOKENS / 8; ++j)
#pragma unroll
      for (int i = 0; i < 4; ++i)
        turned[(8 * j + 2 * (lane % 4) + i % 2) * kRow + lane / 4 + i / 2 * 8] = sum[4 * j + i];
    __syncwarp();
#pragma unroll 4
    for (int row = lane / 4; row < TOKENS; row += 8)
      epilogue.store_four(harness::load<4>(turned + row * kRow + lane % 4 * 4), first_row + row,
                          first_column + lane % 4 * 4);
    __syncwarp();
  }
}
