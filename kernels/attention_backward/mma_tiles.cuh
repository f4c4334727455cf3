#pragma once
#include <harness/cp_async.cuh>
#include <harness/exp2.cuh>
#include <harness/infinity.cuh>
#include <harness/ldmatrix.cuh>
#include <harness/mma.cuh>
#include <harness/pack.cuh>

// What the variants with mma.sync share. All five products are of two kinds, for tiles of rows in shared memory:
//   by rows:     x[r][c] = <row r of A, row c of B>. A row of B is a column of mma's operand: it is loaded as it lies.
//   by columns:  x[r][d] = sum over t of a[r][t] * B[t][d]. A row of B is a row of the operand: ldmatrix transposes.
// A warp has 16 rows r. The result of a product by rows, rounded and packed in pairs, is the A operand of a product by
// columns where it lies (mma.cuh): P and dS need not leave their registers, if r counts what the products by columns
// have as rows too.
//
// A tile is rows of BYTES bytes, in chunks of 16, of which chunk x of row r lies at x ^ (r % 8): the eight rows that
// ldmatrix reads at a time are in different banks. (Rows of 64 bytes share a line of 128 in pairs, and have 4 chunks.)
template <int BYTES>
__device__ inline int place_in_tile(int row, int chunk) {
  if constexpr (BYTES >= 128) return row * BYTES + ((chunk ^ (row % 8)) * 16);
  else return row * BYTES + ((chunk ^ (row / 2 % 4)) * 16);
}

/// Starts the copy of ROWS rows of D elements by THREADS threads; those from `valid` on become 0.
template <int D, int ROWS, int THREADS, class T>
__device__ inline void copy_rows(char* tile, const T* from, int valid) {
  constexpr int kChunks = D / 8;
  static_assert(THREADS % kChunks == 0 && ROWS * kChunks % THREADS == 0, "rows are copied evenly");
  const int row = threadIdx.x / kChunks, chunk = threadIdx.x % kChunks;
#pragma unroll
  for (int r = 0; r < ROWS; r += THREADS / kChunks)
    harness::cp_async<16>(tile + place_in_tile<2 * D>(row + r, chunk),
                          from + static_cast<long long>(row + r) * D + chunk * 8, row + r < valid ? 16 : 0);
}

/// COUNT floats, a multiple of 4, that a tile needs one by one.
template <int COUNT>
__device__ inline void copy_floats(float* to, const float* from) {
  if (threadIdx.x < COUNT / 4) harness::cp_async<16>(to + 4 * threadIdx.x, from + 4 * threadIdx.x);
}

/// x = A B^T over D columns: 16 rows of tile `a` from `a_row` on, 8 COLUMNS rows of tile `b` from its first on.
template <class T, int D, int COLUMNS>
__device__ inline void multiply_by_rows(float (&x)[COLUMNS][4], const char* a, int a_row, const char* b) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int n = 0; n < COLUMNS; ++n)
#pragma unroll
    for (int i = 0; i < 4; ++i) x[n][i] = 0;
  // Lanes name the rows and chunks of a step's first chunks; the chunks of step s are 2 s further, which is an XOR.
  const int of_a = place_in_tile<2 * D>(a_row + lane % 16, lane / 16);
  const int of_b = place_in_tile<2 * D>(lane / 16 * 8 + lane % 8, lane / 8 % 2);
#pragma unroll
  for (int s = 0; s < D / 16; ++s) {
    unsigned left[4];
    harness::ldmatrix_x4(left, a + (of_a ^ (32 * s)));
#pragma unroll
    for (int n = 0; n < COLUMNS; n += 2) {
      unsigned right[4];
      harness::ldmatrix_x4(right, b + (of_b ^ (32 * s)) + 8 * n * 2 * D);
      harness::mma_m16n8k16<T>(x[n], left, right[0], right[1]);
      harness::mma_m16n8k16<T>(x[n + 1], left, right[2], right[3]);
    }
  }
}

/// x += a B: `a` packed from a product by rows with TERMS groups of 8, `b` a tile of 8 TERMS rows of D elements.
template <class T, int D, int TERMS>
__device__ inline void multiply_by_columns(float (&x)[D / 8][4], const unsigned (&a)[TERMS][2], const char* b) {
  const int lane = threadIdx.x % 32, of_b = place_in_tile<2 * D>(lane % 16, lane / 16);
#pragma unroll
  for (int s = 0; s < TERMS / 2; ++s) {
    const unsigned left[4] = {a[2 * s][0], a[2 * s][1], a[2 * s + 1][0], a[2 * s + 1][1]};
#pragma unroll
    for (int n = 0; n < D / 8; n += 2) {
      unsigned right[4];
      harness::ldmatrix_x4_trans(right, b + (of_b ^ (16 * n)) + 16 * s * 2 * D);
      harness::mma_m16n8k16<T>(x[n], left, right[0], right[1]);
      harness::mma_m16n8k16<T>(x[n + 1], left, right[2], right[3]);
    }
  }
}

template <class T, int COUNT>
__device__ inline void pack_pairs(unsigned (&packed)[COUNT][2], const float (&x)[COUNT][4]) {
#pragma unroll
  for (int n = 0; n < COUNT; ++n)
#pragma unroll
    for (int h = 0; h < 2; ++h) packed[n][h] = harness::pack<T>(x[n][2 * h], x[n][2 * h + 1]);
}

/// 16 rows of a result to global memory, times `factor`; rows from `valid` on are left out.
template <class T, int D>
__device__ inline void store_rows(T* to, const float (&x)[D / 8][4], float factor, int valid) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const int row = lane / 4 + 8 * h;
    if (row >= valid) continue;
    unsigned* const words = reinterpret_cast<unsigned*>(to + static_cast<long long>(row) * D) + lane % 4;
#pragma unroll
    for (int n = 0; n < D / 8; ++n) words[4 * n] = harness::pack<T>(x[n][2 * h] * factor, x[n][2 * h + 1] * factor);
  }
}

/// exp(scale * s - lse). The difference is formed by one multiply-add: with scores of 1e5, rounding both sides first
/// would leave it off by a hundredth.
__device__ inline float weight_of(float s, float scale, float lse) {
  return harness::exp2_approx(fmaf(s, scale, -lse) * 1.4426950408889634f);
}
