#include <harness/load_now.cuh>
#include <harness/mma.cuh>

#include "epilogue.cuh"

// Idea (playbook 116): for one to sixteen rows of a, the product is a walk over b, and what counts is how soon and how
// many bytes of b are on their way. A warp takes rows of a linear b (columns of d) as they lie: each lane loads 16
// bytes of two of them, a batch at a time, straight to registers. No barrier, no cluster, no descriptor comes before
// the first load, and only a few instructions.
//
// mma.sync wants pairs of K in an order of its own. Both factors may have any order, as long as it is the same: so the
// eight values that a lane loads are its pairs of two products (k = 8 l ... 8 l + 7 of each 32, l = lane % 4).
//
// The warps of a block have the same 16 COLUMNS columns of d and other parts of K. They add up in shared memory, warp
// after warp: the same bits every time.
//
// Cost: each block reads all of a from the L2. With 16 columns and 16 rows those are as many bytes as of b: then more
// columns a block, or 60_narrow.
//
// Stops: at the rate of the device memory, after a launch and one trip to it.
template <class T, class Out, bool BIAS, bool GELU, bool SILU, bool OTHER, bool RESIDUAL, int TOKENS, int COLUMNS,
          int WARPS, int DEEP>
__global__ void __launch_bounds__(32 * WARPS)
    gemm_rows(const T* a, const T* b, const T* bias, const T* other, const T* residual, Out* d, int M, int N, int K,
              long long lda, long long ldb, long long ldd) {
  constexpr int kSums = 4 * TOKENS * COLUMNS;  // of a lane: tiles of 16 columns by 8 rows
  using Words = harness::Vec<unsigned, 4>;
  __shared__ float sums[WARPS][kSums][32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, line = lane / 4, first_column = blockIdx.x * 16 * COLUMNS;
  const Epilogue<T, Out, BIAS, GELU, SILU, OTHER, RESIDUAL> epilogue{d, bias, other, residual, M, N, ldd};
  float sum[COLUMNS][TOKENS][4] = {};
  // The rows of both factors that this lane reads; what lies outside is not stored.
  const T *rows_of_b[2 * COLUMNS], *rows_of_a[TOKENS];
#pragma unroll
  for (int c = 0; c < 2 * COLUMNS; ++c) rows_of_b[c] = b + min(first_column + 8 * c + line, N - 1) * ldb;
#pragma unroll
  for (int t = 0; t < TOKENS; ++t) rows_of_a[t] = a + min(8 * t + line, M - 1) * lda;

  // A ring of DEEP loads in registers: each place is asked for anew as soon as it has been multiplied. (A batch that is
  // loaded and then multiplied does not stay one: the compiler moves loads down to where they are needed.)
  Words of_b[DEEP][2 * COLUMNS], of_a[DEEP][TOKENS];
  const auto ask = [&](int i, int first) {
    const int at = min(first + 32 * WARPS * i + lane % 4 * 8, K - 8);
#pragma unroll
    for (int c = 0; c < 2 * COLUMNS; ++c) of_b[i][c] = harness::load_now(rows_of_b[c] + at);
#pragma unroll
    for (int t = 0; t < TOKENS; ++t) of_a[i][t] = harness::load_now(rows_of_a[t] + at);
  };
  const auto multiply = [&](int i, int first) {
    const bool inside = first + 32 * WARPS * i + lane % 4 * 8 < K;
#pragma unroll
    for (int step = 0; step < 4; step += 2)
#pragma unroll
      for (int c = 0; c < COLUMNS; ++c) {
        const Words &low = of_b[i][2 * c], &high = of_b[i][2 * c + 1];
        const unsigned rows[4] = {low.at[step], high.at[step], low.at[step + 1], high.at[step + 1]};
#pragma unroll
        for (int t = 0; t < TOKENS; ++t)
          harness::mma_m16n8k16<T>(sum[c][t], rows, inside ? of_a[i][t].at[step] : 0,
                                   inside ? of_a[i][t].at[step + 1] : 0);
      }
  };
  constexpr int kBatch = 32 * WARPS * DEEP;
  int first = 32 * warp;
#pragma unroll
  for (int i = 0; i < DEEP; ++i) ask(i, first);
  for (; first + kBatch < K; first += kBatch)
#pragma unroll
    for (int i = 0; i < DEEP; ++i) {
      multiply(i, first);
      ask(i, first + kBatch);
    }
#pragma unroll
  for (int i = 0; i < DEEP; ++i) multiply(i, first);

#pragma unroll
  for (int i = 0; i < kSums; ++i) sums[warp][i][lane] = sum[i / (4 * TOKENS)][i / 4 % TOKENS][i % 4];
  __syncthreads();
  // Neighbouring threads have neighbouring columns of a row of d.
  for (int i = threadIdx.x; i < 32 * kSums; i += 32 * WARPS) {
    const int row = i / (16 * COLUMNS), column = i % (16 * COLUMNS);
    const int of_lane = column / 16 * 4 * TOKENS + row / 8 * 4 + column / 8 % 2 * 2 + row % 2;
    const int owner = column % 8 * 4 + row % 8 / 2;
    float total = 0;
#pragma unroll
    for (int w = 0; w < WARPS; ++w) total += sums[w][of_lane][owner];
    epilogue.store(total, row, first_column + column);
  }
}
