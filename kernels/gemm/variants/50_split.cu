#include <harness/cluster.cuh>

#include "mma_tile.cuh"

// Idea (playbook 116): with few rows of a there are few tiles, and all that counts is how fast b is read: by as many
// multiprocessors as there are. The SPLITS blocks of a cluster take one tile and a share of K each; each leaves its
// partial sums in its own shared memory, and after one barrier of the cluster each finishes a share of the tile's rows,
// adding the partial sums of all blocks in the order of their ranks: the same bits every time, no memory beside d, and
// no second launch.
//
//
//
// Cost: two barriers of the cluster; partial sums pass between multiprocessors.
//
//
//
// Stops: at how many bytes cp.async keeps on their way.
template <class T, class Out, bool BIAS, bool GELU, bool SILU, bool OTHER, bool RESIDUAL, bool LINEAR, int BLOCK_M,
          int BLOCK_N, int WARPS_M, int WARPS_N, int STAGES, int SPLITS>
__global__ void __launch_bounds__(32 * WARPS_M * WARPS_N)
    gemm_split(const T* a, const T* b, const T* bias, const T* other, const T* residual, Out* d, int M, int N, int K,
               long long lda, long long ldb, long long ldd) {
  using Tile = MmaTile<T, BLOCK_M, BLOCK_N, WARPS_M, WARPS_N, STAGES, LINEAR>;
  constexpr int kRow = BLOCK_N + 4;  // of partial sums: four floats more keep rows in different banks
  extern __shared__ __align__(128) unsigned char shared_memory[];
  const unsigned rank = harness::cluster_rank();
  const int tile_of_d = blockIdx.x / SPLITS, tiles_n = (N + BLOCK_N - 1) / BLOCK_N;
  const int first_row = tile_of_d / tiles_n * BLOCK_M, first_column = tile_of_d % tiles_n * BLOCK_N;
  const int slices = (K + 63) / 64, share = (slices + SPLITS - 1) / SPLITS;
  Tile tile;
  tile.multiply(reinterpret_cast<T*>(shared_memory), a, b, first_row, first_column, M, N, K, lda, ldb,
                min(slices, static_cast<int>(rank) * share), min(slices, static_cast<int>(rank + 1) * share));

  float* const partial = reinterpret_cast<float*>(shared_memory);
#pragma unroll
  for (int m = 0; m < Tile::kOfM; ++m)
#pragma unroll
    for (int h = 0; h < 2; ++h)
#pragma unroll
      for (int n = 0; n < Tile::kOfN; ++n) {
        const harness::Vec<float, 2> both = {{tile.sum[m][n][2 * h], tile.sum[m][n][2 * h + 1]}};
        harness::store(partial + tile.row_of(m, h) * kRow + tile.column_of(n), both);
      }
  harness::cluster_sync();

  const Epilogue<T, Out, BIAS, GELU, SILU, OTHER, RESIDUAL> epilogue{d, bias, other, residual, M, N, ldd};
  constexpr int kShare = BLOCK_M * BLOCK_N / SPLITS / 4;  // of this block, four columns at a time
  for (int i = threadIdx.x; i < kShare; i += Tile::kThreads) {
    const int at = 4 * (i + static_cast<int>(rank) * kShare), row = at / BLOCK_N, column = at % BLOCK_N;
    harness::Vec<float, 4> sum = {};
#pragma unroll
    for (unsigned r = 0; r < SPLITS; ++r) {
      const auto more = harness::load_cluster<4>(partial + row * kRow + column, r);
#pragma unroll
      for (int e = 0; e < 4; ++e) sum.at[e] += more.at[e];
    }
    epilogue.store_four(sum, first_row + row, first_column + column);
  }
  harness::cluster_sync();  // nobody ends while others read its sums
}
