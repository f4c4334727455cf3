#pragma once
#include <harness/cp_async.cuh>
#include <harness/ldmatrix.cuh>
#include <harness/mma.cuh>

// A block's tile of BLOCK_M rows by BLOCK_N columns, by the tensor cores' mma.m16n8k16, from a ring of STAGES slices
// that are 64 of K deep and filled by cp.async. Warps stand WARPS_M x WARPS_N. Each row of either factor may lie
// anywhere: a copy of 16 bytes has an address of its own, so gathering rows costs nothing but the addresses.
//
// In shared memory a slice has rows of 64 elements: 128 bytes, eight chunks of 16. Chunk c of row r lies at c ^ r % 8,
// so that the eight rows that ldmatrix reads at once lie in different banks.
template <int BLOCK_M, int BLOCK_N, int WARPS_M, int WARPS_N, int STAGES>
struct MmaRows {
  using T = __nv_bfloat16;
  static constexpr int kDeep = 64, kThreads = 32 * WARPS_M * WARPS_N;
  static constexpr int kOfM = BLOCK_M / WARPS_M / 16, kOfN = BLOCK_N / WARPS_N / 8;  // fragments of a warp
  static constexpr int kA = BLOCK_M * kDeep, kStage = kA + BLOCK_N * kDeep;          // elements
  static_assert(kOfM * WARPS_M * 16 == BLOCK_M && kOfN % 2 == 0 && kOfN * WARPS_N * 8 == BLOCK_N, "whole fragments");

  float sum[kOfM][kOfN][4] = {};
  int lane, warp_m, warp_n;

  __device__ MmaRows()
      : lane(threadIdx.x % 32), warp_m(threadIdx.x / 32 % WARPS_M), warp_n(threadIdx.x / 32 / WARPS_M) {}

  /// `left(row)` and `right(column)` say where a row of a factor begins; null where there is none, which counts as 0.
  template <class Left, class Right>
  __device__ void multiply(T* ring, int depth, Left left, Right right) {
    constexpr int kOfA = (BLOCK_M * 8 + kThreads - 1) / kThreads, kOfB = (BLOCK_N * 8 + kThreads - 1) / kThreads;
    const T *of_a[kOfA], *of_b[kOfB];
#pragma unroll
    for (int n = 0; n < kOfA; ++n) {
      const int row = (threadIdx.x + n * kThreads) / 8;
      of_a[n] = row < BLOCK_M ? left(row) : nullptr;
    }
#pragma unroll
    for (int n = 0; n < kOfB; ++n) {
      const int row = (threadIdx.x + n * kThreads) / 8;
      of_b[n] = row < BLOCK_N ? right(row) : nullptr;
    }
    const int slices = (depth + kDeep - 1) / kDeep;
    const auto fill = [&](int slice) {
      if (slice < slices) {
        T* const stage = ring + slice % STAGES * kStage;
        copy(stage, of_a, BLOCK_M, slice * kDeep, depth);
        copy(stage + kA, of_b, BLOCK_N, slice * kDeep, depth);
      }
      harness::cp_async_commit();  // also an empty group: the waits below count them
    };
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) fill(s);
    for (int slice = 0; slice < slices; ++slice) {
      harness::cp_async_wait<STAGES - 2>();
      __syncthreads();  // the slice is there for all, and the one before has been read by all
      fill(slice + STAGES - 1);
      const T* const stage = ring + slice % STAGES * kStage;
#pragma unroll
      for (int step = 0; step < kDeep / 16; ++step) multiply_step(stage, stage + kA, step);
    }
    harness::cp_async_wait_all();
  }

  /// Row and column, in the tile, of sum[m][n][2 h] and its neighbour.
  __device__ int row_of(int m, int h) const {
    return (warp_m * kOfM + m) * 16 + lane / 4 + 8 * h;
  }
  __device__ int column_of(int n) const {
    return (warp_n * kOfN + n) * 8 + 2 * (lane % 4);
  }

 private:
  __device__ static int chunk_at(int row, int chunk) {
    return row * 8 + ((chunk ^ row) & 7);
  }

  template <int COUNT>
  __device__ static void copy(T* slice, const T* const (&rows)[COUNT], int count, int k, int depth) {
#pragma unroll
    for (int n = 0; n < COUNT; ++n) {
      const int at = threadIdx.x + n * kThreads, element = k + at % 8 * 8;
      if (at >= count * 8) continue;
      const bool is_there = rows[n] != nullptr && element < depth;
      harness::cp_async<16>(slice + 8 * chunk_at(at / 8, at % 8), is_there ? rows[n] + element : rows[n],
                            is_there ? 16 : 0);
    }
  }

  __device__ void multiply_step(const T* a, const T* b, int step) {
    unsigned of_a[kOfM][4];
#pragma unroll
    for (int m = 0; m < kOfM; ++m)
      harness::ldmatrix_x4(of_a[m], a + 8 * chunk_at((warp_m * kOfM + m) * 16 + lane % 16, 2 * step + lane / 16));
#pragma unroll
    for (int n = 0; n < kOfN; n += 2) {  // two fragments of 8 columns at a time
      unsigned of_b[4];
      const int row = (warp_n * kOfN + n) * 8 + lane % 8 + lane / 16 * 8;
      harness::ldmatrix_x4(of_b, b + 8 * chunk_at(row, 2 * step + lane / 8 % 2));
#pragma unroll
      for (int m = 0; m < kOfM; ++m) {
        harness::mma_m16n8k16<T>(sum[m][n], of_a[m], of_b[0], of_b[1]);
        harness::mma_m16n8k16<T>(sum[m][n + 1], of_a[m], of_b[2], of_b[3]);
      }
    }
  }
};
