#pragma once
#include <harness/cp_async.cuh>
#include <harness/ldmatrix.cuh>
#include <harness/mma.cuh>

#include "epilogue.cuh"

// A block's tile of BLOCK_M x BLOCK_N elements of a b, by the tensor cores' mma.m16n8k16, from a ring of STAGES slices
// that are 64 of K deep and filled by cp.async. Warps stand WARPS_M x WARPS_N. LINEAR: b is [N, K].
//
// In shared memory a slice of a, and of a linear b, has rows of 64 elements: 128 bytes, eight chunks of 16. Chunk c of
// row r lies at c ^ r % 8, so that the eight rows that ldmatrix reads at once lie in different banks. A slice of a
// plain b has 64 rows of BLOCK_N elements, its chunks swizzled likewise in groups of eight; ldmatrix transposes it on
// the way.
template <class T, int BLOCK_M, int BLOCK_N, int WARPS_M, int WARPS_N, int STAGES, bool LINEAR>
struct MmaTile {
  static constexpr int kDeep = 64, kThreads = 32 * WARPS_M * WARPS_N;
  static constexpr int kOfM = BLOCK_M / WARPS_M / 16, kOfN = BLOCK_N / WARPS_N / 8;  // fragments of a warp
  static constexpr int kA = BLOCK_M * kDeep, kStage = kA + BLOCK_N * kDeep;          // elements
  static_assert(kOfM * WARPS_M * 16 == BLOCK_M && kOfN % 2 == 0 && kOfN * WARPS_N * 8 == BLOCK_N, "whole fragments");

  float sum[kOfM][kOfN][4] = {};
  int lane, warp_m, warp_n;

  __device__ MmaTile()
      : lane(threadIdx.x % 32), warp_m(threadIdx.x / 32 % WARPS_M), warp_n(threadIdx.x / 32 / WARPS_M) {}

  /// Adds the products of slices [begin, end) of K: `ring` has STAGES * kStage elements.
  __device__ void multiply(T* ring, const T* a, const T* b, int first_row, int first_column, int M, int N, int K,
                           long long lda, long long ldb, int begin, int end) {
    const auto fill = [&](int slice) {
      if (slice < end) {
        T* const stage = ring + (slice - begin) % STAGES * kStage;
        rows_of_k(stage, a, BLOCK_M, first_row, M, slice * kDeep, K, lda);
        if constexpr (LINEAR) rows_of_k(stage + kA, b, BLOCK_N, first_column, N, slice * kDeep, K, ldb);
        else rows_of_n(stage + kA, b, first_column, N, slice * kDeep, K, ldb);
      }
      harness::cp_async_commit();  // also an empty group: the waits below count them
    };
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) fill(begin + s);
    for (int slice = begin; slice < end; ++slice) {
      harness::cp_async_wait<STAGES - 2>();
      __syncthreads();  // the slice is there for all, and the one before has been read by all
      fill(slice + STAGES - 1);
      const T* const stage = ring + (slice - begin) % STAGES * kStage;
#pragma unroll
      for (int step = 0; step < kDeep / 16; ++step) multiply_step(stage, stage + kA, step);
    }
    harness::cp_async_wait_all();
    __syncthreads();
  }

  /// Row and column, in the tile, of sum[m][n][2 h] and its neighbour.
  __device__ int row_of(int m, int h) const {
    return (warp_m * kOfM + m) * 16 + lane / 4 + 8 * h;
  }
  __device__ int column_of(int n) const {
    return (warp_n * kOfN + n) * 8 + 2 * (lane % 4);
  }

  template <class Epilogue>
  __device__ void store(const Epilogue& epilogue, int first_row, int first_column) const {
    using Out = typename Epilogue::Stored;
    const bool pairs = epilogue.has_aligned_rows();
#pragma unroll
    for (int m = 0; m < kOfM; ++m)
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const int row = first_row + row_of(m, h);
        if (row >= epilogue.rows) continue;
#pragma unroll
        for (int n = 0; n < kOfN; ++n) {
          const int column = first_column + column_of(n);
          const float2 both = {sum[m][n][2 * h], sum[m][n][2 * h + 1]};
          if (pairs && column + 1 < epilogue.columns) {
            const float2 value = epilogue.finish_pair(both, row, column);
            harness::Vec<Out, 2> stored = {{harness::from_float<Out>(value.x), harness::from_float<Out>(value.y)}};
            harness::store(epilogue.d + row * epilogue.pitch + column, stored);
          } else {
            epilogue.store(both.x, row, column);
            epilogue.store(both.y, row, column + 1);
          }
        }
      }
  }

 private:
  __device__ static int chunk_at(int row, int chunk, int chunks) {
    return row * chunks + (chunk & ~7) + ((chunk ^ row) & 7);
  }

  /// `rows` rows of 64 of K, a chunk a thread at a time. K comes in whole chunks; what lies outside is 0.
  __device__ static void rows_of_k(T* slice, const T* matrix, int rows, int first, int end, int k, int K,
                                   long long pitch) {
#pragma unroll
    for (int at = threadIdx.x; at < rows * 8; at += kThreads) {
      const int row = at / 8, chunk = at % 8, element = k + 8 * chunk;
      const bool is_there = first + row < end && element < K;
      harness::cp_async<16>(slice + 8 * chunk_at(row, chunk, 8),
                            is_there ? matrix + (first + row) * pitch + element : matrix, is_there ? 16 : 0);
    }
  }
  /// 64 rows of K of BLOCK_N columns. The last chunk of a row may be cut by N.
  __device__ static void rows_of_n(T* slice, const T* matrix, int first, int N, int k, int K, long long pitch) {
    constexpr int kChunks = BLOCK_N / 8;
#pragma unroll
    for (int at = threadIdx.x; at < kDeep * kChunks; at += kThreads) {
      const int row = at / kChunks, chunk = at % kChunks, column = first + 8 * chunk;
      const int there = k + row < K ? min(8, N - column) : 0;
      harness::cp_async<16>(slice + 8 * chunk_at(row, chunk, kChunks),
                            there > 0 ? matrix + (k + row) * pitch + column : matrix, there > 0 ? 2 * there : 0);
    }
  }

  __device__ void multiply_step(const T* a, const T* b, int step) {
    unsigned of_a[kOfM][4];
#pragma unroll
    for (int m = 0; m < kOfM; ++m) {
      const int row = (warp_m * kOfM + m) * 16 + lane % 16;
      harness::ldmatrix_x4(of_a[m], a + 8 * chunk_at(row, 2 * step + lane / 16, 8));
    }
#pragma unroll
    for (int n = 0; n < kOfN; n += 2) {  // two fragments of 8 columns at a time
      unsigned of_b[4];
      const int column = (warp_n * kOfN + n) * 8;
      if constexpr (LINEAR) {
        const int row = column + lane % 8 + lane / 16 * 8;
        harness::ldmatrix_x4(of_b, b + 8 * chunk_at(row, 2 * step + lane / 8 % 2, 8));
      } else {
        const int row = 16 * step + lane % 16;
        harness::ldmatrix_x4_trans(of_b, b + 8 * chunk_at(row, column / 8 + lane / 16, BLOCK_N / 8));
      }
#pragma unroll
      for (int m = 0; m < kOfM; ++m) {
        harness::mma_m16n8k16<T>(sum[m][n], of_a[m], of_b[0], of_b[1]);
        harness::mma_m16n8k16<T>(sum[m][n + 1], of_a[m], of_b[2], of_b[3]);
      }
    }
  }
};
