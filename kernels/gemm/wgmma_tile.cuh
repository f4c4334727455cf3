#pragma once
#include <harness/mbarrier.cuh>
#include <harness/multicast.cuh>
#include <harness/quad.cuh>
#include <harness/tma.cuh>
#include <harness/warp.cuh>
#include <harness/warpgroup.cuh>
#include <harness/wgmma.cuh>

#include "epilogue.cuh"

// Slices of a and b as TMA leaves them, 64 of K deep, and what one warpgroup does with them.
//
// A slice of a, and of a linear b, has rows of 64 elements (128 bytes, swizzled): K-major. A slice of a plain b is
// panels of 64 columns, each with 64 rows of K: MN-major.
//
// The CLUSTER blocks of a cluster compute tiles one below the other, so they need the same slices of b: each loads a
// part of it for all.
template <class T, bool LINEAR, int BLOCK_M, int BLOCK_N, int CLUSTER>
struct Slices {
  static constexpr int kDeep = 64, kA = BLOCK_M * kDeep, kStage = kA + BLOCK_N * kDeep;  // elements
  static constexpr unsigned kBytes = 2 * kStage;

  /// One thread asks for slice `slice` of the tile that begins at that row and column; of b only for this block's part.
  __device__ static void load(T* stage, const harness::TensorMap& a, const harness::TensorMap& b,
                              harness::Mbarrier* full, int slice, int row, int column, int rank) {
    constexpr int kBox = BLOCK_M < 256 ? BLOCK_M : 256;
#pragma unroll
    for (int r = 0; r < BLOCK_M; r += kBox) harness::tma_load(stage + r * kDeep, a, full, slice * kDeep, row + r);
    constexpr int kPart = BLOCK_N / CLUSTER;  // columns of b
    const int first = rank * kPart;
    if constexpr (LINEAR) {
      load_b(stage + kA + first * kDeep, b, full, slice * kDeep, column + first);
    } else {
#pragma unroll
      for (int panel = 0; panel < kPart; panel += 64)
        load_b(stage + kA + (first + panel) * kDeep, b, full, column + first + panel, slice * kDeep);
    }
  }

 private:
  __device__ static void load_b(T* at, const harness::TensorMap& b, harness::Mbarrier* full, int x, int y) {
    if constexpr (CLUSTER == 1) harness::tma_load(at, b, full, x, y);
    else harness::tma_load_multicast(at, b, full, (1 << CLUSTER) - 1, x, y);
  }
};

/// ROWS x 64 rows of d by BLOCK_N columns, accumulated by a warpgroup.
template <class T, bool LINEAR, int ROWS, int BLOCK_N>
struct WgmmaTile {
  float sum[ROWS][BLOCK_N / 2];

  /// Starts the products of a slice; `a` is the warpgroup's first row. The first slice of a tile does not accumulate.
  __device__ void multiply(const T* a, const T* b, bool first) {
    const unsigned long long of_a = harness::wgmma_descriptor(a);
    const unsigned long long of_b = LINEAR ? harness::wgmma_descriptor(b) : harness::wgmma_descriptor(b, 1024, 8192);
    harness::wgmma_fence();
#pragma unroll
    for (int step = 0; step < 4; ++step)
#pragma unroll
      for (int r = 0; r < ROWS; ++r)
        harness::wgmma<T, BLOCK_N, !LINEAR>(sum[r], harness::wgmma_advance(of_a, step * 32 + r * 64 * 128),
                                            harness::wgmma_advance(of_b, step * (LINEAR ? 32 : 2048)),
                                            step > 0 || !first);
    harness::wgmma_commit();
  }

  /// `first_row` of the warpgroup. 32 columns that lie inside go out in vectors of 16 bytes of 16-bit elements where
  /// rows are aligned, for which the four lanes that share a row exchange what they hold; others element by element.
  template <class Epilogue>
  __device__ void store(const Epilogue& epilogue, int first_row, int first_column) const {
    const int whole = epilogue.has_aligned_rows() ? min(kVectors, (epilogue.columns - first_column) / 32) : 0;
#pragma unroll
    for (int r = 0; r < ROWS; ++r)
#pragma unroll
      for (int h = 0; h < 2; ++h)
        store_row(epilogue, r, h, first_row + 64 * r + 16 * (threadIdx.x / 32 % 4) + threadIdx.x % 32 / 4 + 8 * h,
                  first_column, whole);
  }

 private:
  static constexpr int kVectors = BLOCK_N / 32;

  /// A row of the tile, of which the first `whole` times 32 columns in vectors. Everything that those read is asked for
  /// before anything is stored: the compiler moves no load up past a store. All lanes take part in the exchanges, also
  /// those whose row lies outside.
  template <class Epilogue>
  __device__ void store_row(const Epilogue& epilogue, int r, int h, int row, int first_column, int whole) const {
    const int pair = threadIdx.x % 4;
    const bool inside = row < epilogue.rows;
    const long long at = row * epilogue.pitch + first_column;
    unsigned factor[kVectors][4] = {}, added[kVectors][4] = {};
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      const bool read = inside && v < whole;
      if constexpr (Epilogue::kOther) load_words(epilogue.other + at + 32 * v + 8 * pair, read, factor[v]);
      if constexpr (Epilogue::kResidual) load_words(epilogue.residual + at + 32 * v + 8 * pair, read, added[v]);
    }
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      const float* const sums = &sum[r][16 * v + 2 * h];  // pairs, four further each
      if (v < whole) {
        if constexpr (Epilogue::kOther) harness::transpose_quad(factor[v]);
        if constexpr (Epilogue::kResidual) harness::transpose_quad(added[v]);
        float2 value[4];
#pragma unroll
        for (int n = 0; n < 4; ++n)
          value[n] = epilogue.finish_words({sums[4 * n], sums[4 * n + 1]}, first_column + 32 * v + 8 * n + 2 * pair,
                                           factor[v][n], added[v][n]);
        store_vector(epilogue.d + at + 32 * v, value, inside, pair);
      } else {
#pragma unroll
        for (int n = 0; n < 4; ++n)
#pragma unroll
          for (int e = 0; e < 2; ++e)
            epilogue.store(sums[4 * n + e], row, first_column + 32 * v + 8 * n + 2 * pair + e);
      }
    }
  }

  /// 32 columns of a row, of which this lane has pairs: a vector of 16 bytes of 16-bit elements a lane.
  template <class Out>
  __device__ static void store_vector(Out* out, const float2 (&value)[4], bool inside, int pair) {
    if constexpr (sizeof(Out) == 4) {
#pragma unroll
      for (int n = 0; n < 4; ++n)
        if (inside) *reinterpret_cast<float2*>(out + 8 * n + 2 * pair) = value[n];
    } else {
      unsigned word[4];
#pragma unroll
      for (int n = 0; n < 4; ++n) word[n] = harness::pack<T>(value[n].x, value[n].y);
      harness::transpose_quad(word);
      if (inside) *reinterpret_cast<uint4*>(out + 8 * pair) = {word[0], word[1], word[2], word[3]};
    }
  }

  /// A vector of 16 bytes, eight columns of a row.
  __device__ static void load_words(const T* from, bool inside, unsigned (&word)[4]) {
    if (!inside) return;
    const uint4 read = *reinterpret_cast<const uint4*>(from);
    word[0] = read.x, word[1] = read.y, word[2] = read.z, word[3] = read.w;
  }
};
