#include <harness/cluster.cuh>
#include <harness/multicast.cuh>
#include <harness/wgmma_narrow.cuh>

#include "epilogue.cuh"

// Idea (playbook 116): with few rows of a, the time is that of reading b. wgmma has 64 rows at least but as few as 8
// columns; so the factors change places: 64 rows of a linear b (columns of d) are multiplied by TOKENS rows of a, and
// nothing is padded. TMA keeps up to STAGES slices of b on their way to each block, and the SPLITS blocks of a cluster
// share the K of one tile, so that narrow products occupy all multiprocessors.
//
// The sums are those of d transposed. They pass through shared memory anyway, where each block of the cluster leaves
// its own and finishes a share of the rows, in the order of the ranks: so they are turned there, for nothing.
//
// SHARE neighbouring tiles need the same slices of a: their blocks are of one cluster too, and each loads a part for
// all. With 64 rows of a that is half of what the L2 has to deliver.
//
// Cost: three barriers of the cluster.
//
// Stops: at the rate of the device memory, after a launch and one trip to it.
template <class T, class Out, bool BIAS, bool GELU, bool SILU, bool OTHER, bool RESIDUAL, int WARPGROUPS, int TOKENS,
          int STAGES, int SPLITS, int SHARE>
__global__ void __launch_bounds__(128 * WARPGROUPS + 32)
    gemm_narrow(const __grid_constant__ harness::TensorMap a_map, const __grid_constant__ harness::TensorMap b_map,
                const T* bias, const T* other, const T* residual, Out* d, int M, int N, int K, long long ldd) {
  constexpr int kDeep = 64, kColumns = 64 * WARPGROUPS, kOfB = kColumns * kDeep, kStage = kOfB + TOKENS * kDeep;
  constexpr int kRow = kColumns + 4;  // of partial sums: four floats more keep the lanes of a warp in different banks
  extern __shared__ __align__(1024) unsigned char shared_memory[];
  __shared__ harness::Mbarrier full[STAGES], empty[STAGES];
  T* const stages = reinterpret_cast<T*>(shared_memory);
  constexpr int kCluster = SPLITS * SHARE, kPart = TOKENS / SHARE;  // rows of a that this block loads
  const int of_cluster = kCluster == 1 ? 0 : static_cast<int>(harness::cluster_rank());
  const int rank = of_cluster % SPLITS, share = of_cluster / SPLITS;  // which part of K, which of the tiles
  const int tiles = blockIdx.x / kCluster, tiles_m = (M + TOKENS - 1) / TOKENS;
  const int first_row = tiles % tiles_m * TOKENS, first_column = (tiles / tiles_m * SHARE + share) * kColumns;
  const int slices = (K + kDeep - 1) / kDeep;
  const int begin = slices * rank / SPLITS, end = slices * (rank + 1) / SPLITS;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      harness::mbarrier_init(&full[s], 1);
      harness::mbarrier_init(&empty[s], 4 * WARPGROUPS * SHARE);
    }
    harness::mbarrier_init_fence();
  }
  if constexpr (SHARE > 1) harness::cluster_sync();  // the barriers of all are there
  else __syncthreads();

  float sum[TOKENS / 2] = {};
  const Epilogue<T, Out, BIAS, GELU, SILU, OTHER, RESIDUAL> epilogue{d, bias, other, residual, M, N, ldd};
  if (warp == 4 * WARPGROUPS) {  // asks for slices, and for what the epilogue of its rows will read
    constexpr int kRows = (TOKENS + SPLITS - 1) / SPLITS;
    for (int row = lane; (OTHER || RESIDUAL) && row < kRows; row += 32)
      epilogue.prefetch(first_row + rank * TOKENS / SPLITS + row, first_column, kColumns);
    if (lane == 0) {
      int stage = 0, parity = 1;
      for (int slice = begin; slice < end; ++slice) {
        T* const at = stages + stage * kStage;
        harness::mbarrier_wait(&empty[stage], parity);
        harness::mbarrier_arrive_expect(&full[stage], 2 * kStage);
        harness::tma_load(at, b_map, &full[stage], slice * kDeep, first_column);
        if constexpr (SHARE == 1) {
          harness::tma_load(at + kOfB, a_map, &full[stage], slice * kDeep, first_row);
        } else {
          unsigned short sharers = 0;
#pragma unroll
          for (int s = 0; s < SHARE; ++s) sharers |= 1 << (s * SPLITS + rank);
          harness::tma_load_multicast(at + kOfB + share * kPart * kDeep, a_map, &full[stage], sharers, slice * kDeep,
                                      first_row + share * kPart);
        }
        if (++stage == STAGES) stage = 0, parity ^= 1;
      }
    }
    __syncwarp();
  } else {
    const auto give_back = [&](int stage) {  // a lane for each block that loads for this one
      if (lane >= SHARE) return;
      if constexpr (SHARE == 1) harness::mbarrier_arrive(&empty[stage]);
      else harness::mbarrier_arrive_at(&empty[stage], lane * SPLITS + rank);
    };
    int stage = 0, parity = 0, before = 0;
    for (int slice = begin; slice < end; ++slice) {
      harness::mbarrier_wait(&full[stage], parity);
      const T* const at = stages + stage * kStage;
      const unsigned long long of_b = harness::wgmma_descriptor(at + warp / 4 * 64 * kDeep);
      const unsigned long long of_a = harness::wgmma_descriptor(at + kOfB);
      harness::wgmma_fence();
#pragma unroll
      for (int step = 0; step < 4; ++step)
        harness::wgmma<T, TOKENS>(sum, harness::wgmma_advance(of_b, step * 32), harness::wgmma_advance(of_a, step * 32),
                                  1);
      harness::wgmma_commit();
      if (slice > begin) {
        harness::wgmma_wait<1>();
        give_back(before);
      }
      before = stage;
      if (++stage == STAGES) stage = 0, parity ^= 1;
    }
    harness::wgmma_wait<0>();
  }
  __syncthreads();  // the slices have been read by all: their place is free

  float* const partial = reinterpret_cast<float*>(shared_memory);
  if (warp < 4 * WARPGROUPS) {
#pragma unroll
    for (int j = 0; j < TOKENS / 8; ++j)
#pragma unroll
      for (int i = 0; i < 4; ++i)
        partial[(8 * j + 2 * (lane % 4) + i % 2) * kRow + 16 * warp + lane / 4 + i / 2 * 8] = sum[4 * j + i];
  }
  __syncwarp();
  if constexpr (kCluster > 1) harness::cluster_sync();
  else __syncthreads();

  constexpr int kShare = TOKENS * kColumns / 4 / SPLITS;  // of this block, four columns at a time
  for (int i = threadIdx.x; i < kShare; i += 128 * WARPGROUPS + 32) {
    const int at = 4 * (i + rank * kShare), row = at / kColumns, column = at % kColumns;
    harness::Vec<float, 4> total = {};
#pragma unroll
    for (int r = 0; r < SPLITS; ++r) {
      const float* const of_row = partial + row * kRow + column;
      const auto more = SPLITS == 1 ? harness::load<4>(of_row) : harness::load_cluster<4>(of_row, share * SPLITS + r);
#pragma unroll
      for (int e = 0; e < 4; ++e) total.at[e] += more.at[e];
    }
    epilogue.store_four(total, first_row + row, first_column + column);
  }
  if constexpr (kCluster > 1) harness::cluster_sync();  // nobody ends while others read its sums
}
