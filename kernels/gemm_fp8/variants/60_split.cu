#include <harness/cluster.cuh>
#include <harness/tma.cuh>
#include <harness/vec.cuh>
#include <harness/warp.cuh>
#include <harness/warpgroup.cuh>

#include "scaled_sums.cuh"

// Idea (playbook 112): few rows of a make few tiles, and each must walk over all of K: 56 tiles of 128 columns read the
// weights with 56 multiprocessors. So the SPLITS blocks of a cluster share a tile, a range of K each, and add up their
// sums through each other's shared memory: nothing is written but d, and there is one launch.
//
// Cost: a tile of fp32 through shared memory, SPLITS times. Stops: at the bandwidth of memory, which the weights need
// once; with more rows at the tensor cores, where 70_specialized loads less for a product.
template <int WARPGROUPS, int STAGES, int SPLITS>
__global__ void __launch_bounds__(128 * WARPGROUPS + 32)
    gemm_fp8_split(const __grid_constant__ harness::TensorMap a_map, const __grid_constant__ harness::TensorMap b_map,
                   const float* a_scale, const float* b_scale, __nv_bfloat16* d, int M, int N, int K) {
  constexpr int kRows = 64 * WARPGROUPS, kStage = (kRows + kColumns) * kDeep;
  constexpr int kPitch = kColumns + 4;  // of a row of sums, in different banks
  extern __shared__ __align__(1024) unsigned char shared_memory[];
  __shared__ harness::Mbarrier full[STAGES], empty[STAGES];
  const int rank = SPLITS == 1 ? 0 : static_cast<int>(harness::cluster_rank());
  const int tiles = (N + kColumns - 1) / kColumns, tile = blockIdx.x / SPLITS;
  const int first_row = tile / tiles * kRows, first_column = tile % tiles * kColumns;
  const int slices = K / kDeep, begin = slices * rank / SPLITS, end = slices * (rank + 1) / SPLITS;
  const int warp = harness::uniform(threadIdx.x / 32), lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      harness::mbarrier_init(&full[s], 1);
      harness::mbarrier_init(&empty[s], 4 * WARPGROUPS);
    }
    harness::mbarrier_init_fence();
  }
  __syncthreads();

  ScaledSums<(WARPGROUPS == 1)> sums;  // two have no registers for more, and memory is what they wait for
  if (warp == 4 * WARPGROUPS) {
    int stage = 0, parity = 1;
    for (int slice = begin; lane == 0 && slice < end; ++slice) {
      unsigned char* const at = shared_memory + stage * kStage;
      harness::mbarrier_wait(&empty[stage], parity);
      harness::mbarrier_arrive_expect(&full[stage], kStage);
      harness::tma_load(at + kRows * kDeep, b_map, &full[stage], slice * kDeep, first_column);
      harness::tma_load(at, a_map, &full[stage], slice * kDeep, first_row);
      if (++stage == STAGES) stage = 0, parity ^= 1;
    }
    __syncwarp();
  } else if (begin < end) {
    SliceRing ring{shared_memory, full, empty, STAGES, kStage};
    sums.add_slices(ring, warp / 4 * 64 * kDeep, kRows * kDeep,
                    LaneScales(a_scale, b_scale, first_row + 16 * warp + lane / 4, first_column, M, slices), begin, end,
                    [&](int stage) {
                      if (lane == 0) harness::mbarrier_arrive(&empty[stage]);
                    });
  }
  if constexpr (SPLITS == 1) {
    if (warp < 4 * WARPGROUPS) sums.store(d, first_row + 16 * warp + lane / 4, first_column, M, N);
    return;
  }
  __syncthreads();  // all slices have been read: their place is free

  float* const partial = reinterpret_cast<float*>(shared_memory);
  if (warp < 4 * WARPGROUPS) {
#pragma unroll
    for (int i = 0; i < 64; ++i)
      partial[(16 * warp + lane / 4 + i / 2 % 2 * 8) * kPitch + i / 4 * 8 + lane % 4 * 2 + i % 2] = sums.sum[i];
  }
  __syncwarp();
  harness::cluster_sync();
  constexpr int kShare = kRows * kColumns / 4 / SPLITS;  // of this block, four columns at a time
  for (int i = threadIdx.x; i < kShare; i += 128 * WARPGROUPS + 32) {
    const int at = 4 * (i + rank * kShare), row = at / kColumns, column = at % kColumns;
    harness::Vec<float, 4> total = {};
#pragma unroll
    for (int r = 0; r < SPLITS; ++r) {
      const auto more = harness::load_cluster<4>(partial + row * kPitch + column, r);
#pragma unroll
      for (int e = 0; e < 4; ++e) total.at[e] += more.at[e];
    }
    if (first_row + row < M && first_column + column < N)
      *reinterpret_cast<uint2*>(d + static_cast<long long>(first_row + row) * N + first_column + column) = {
          harness::pack<__nv_bfloat16>(total.at[0], total.at[1]),
          harness::pack<__nv_bfloat16>(total.at[2], total.at[3])};
  }
  harness::cluster_sync();  // nobody ends while others read its sums
}
