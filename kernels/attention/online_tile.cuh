#pragma once
#include <harness/convert.cuh>
#include <harness/infinity.cuh>
#include <harness/vec.cuh>
#include <harness/warp.cuh>

// The inner part that the tiled variants share: a block holds BLOCK_M query rows and walks over key tiles of BLOCK_N
// rows with an online softmax. What differs between the variants is which keys they walk over and what they do at the
// end.
//
// Threads: LANES neighbouring threads (of one warp) share ROWS query rows. Of a score tile a thread computes
// ROWS x (BLOCK_N / LANES) elements, of the output ROWS x (D / LANES), all in registers: each float4 that it loads from
// shared memory feeds ROWS, or BLOCK_N / LANES, times 4 multiply-adds.
// Shared memory (fp32, converted once on the way in): Q, K, V tiles of row pitch D + 4 and scores of pitch BLOCK_N + 4.
// Four floats of padding make the pitch an odd number of 16-byte words, so lanes that read one column of different rows
// hit different banks.
// Scores are kept in units of log2: Q is scaled by softmax scale * log2(e) when loaded and exp becomes the cheaper
// exp2.
template <class T, int D, int BLOCK_M, int BLOCK_N, int ROWS, int LANES, int VEC>
struct OnlineTile {
  static constexpr int kThreads = BLOCK_M / ROWS * LANES;
  static constexpr int kKeys = BLOCK_N / LANES;  // score columns of a thread: lane, lane + LANES, ...
  static constexpr int kColumns = D / LANES;     // output columns of a thread, in chunks of kChunk
  static constexpr int kChunk = kColumns % 4 == 0 ? 4 : kColumns % 2 == 0 ? 2 : 1;
  static constexpr int kPitch = D + 4;
  static constexpr int kScorePitch = BLOCK_N + 4;
  static_assert(kThreads % 32 == 0 && 32 % LANES == 0, "rows are shared inside a warp");
  static_assert(BLOCK_M % ROWS == 0 && BLOCK_N % LANES == 0 && BLOCK_N % 4 == 0 && D % (LANES * kChunk) == 0,
                "tiles divide evenly");

  float* q_tile;
  float* k_tile;
  float* v_tile;
  float* score_tile;
  int lane, first_row;        // of this thread: lane in its group, first of its ROWS rows in the block's tile
  float out[ROWS][kColumns];  // sum of p * v, relative to `largest`
  float largest[ROWS];        // over the keys seen; the same in all lanes of a group
  float sum[ROWS];            // of p over this thread's own keys only; sum_of_row() adds the lanes up

  __device__ explicit OnlineTile(float4* shared) {
    q_tile = reinterpret_cast<float*>(shared);
    k_tile = q_tile + BLOCK_M * kPitch;
    v_tile = k_tile + BLOCK_N * kPitch;
    score_tile = v_tile + BLOCK_N * kPitch;
    lane = threadIdx.x % LANES;
    first_row = threadIdx.x / LANES * ROWS;
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      largest[r] = -harness::kInfinity;
      sum[r] = 0;
#pragma unroll
      for (int c = 0; c < kColumns; ++c) out[r][c] = 0;
    }
  }

  /// Copies `valid` rows (of at most COUNT) times `factor` into a tile; the rows below them become 0.
  template <int COUNT>
  __device__ static void fill(float* tile, const T* source, int valid, float factor) {
    constexpr int kVectors = D / VEC;
    constexpr int kWords = VEC < 4 ? VEC : 4;
    for (int i = threadIdx.x; i < COUNT * kVectors; i += kThreads) {
      const int row = i / kVectors, column = i % kVectors * VEC;
      harness::Vec<float, kWords> words[VEC / kWords] = {};
      if (row < valid) {
        const harness::Vec<T, VEC> v = harness::load<VEC>(source + static_cast<long long>(row) * D + column);
#pragma unroll
        for (int e = 0; e < VEC; ++e) words[e / kWords].at[e % kWords] = factor * harness::to_float(v.at[e]);
      }
#pragma unroll
      for (int w = 0; w < VEC / kWords; ++w) harness::store(tile + row * kPitch + column + w * kWords, words[w]);
    }
  }

  __device__ void load_queries(const T* q, int valid, float scale) {
    fill<BLOCK_M>(q_tile, q, valid, scale * 1.4426950408889634f);
  }

  /// Attends to the keys [begin, end), where begin is a multiple of BLOCK_N. Query row r of the tile sees key j only if
  /// j <= r + diagonal. Called by all threads of the block.
  __device__ void attend(const T* k, const T* v, int begin, int end, int diagonal) {
    for (int first_key = begin; first_key < end; first_key += BLOCK_N) {
      const long long offset = static_cast<long long>(first_key) * D;
      __syncthreads();  // nobody reads the previous tile any more
      fill<BLOCK_N>(k_tile, k + offset, end - first_key, 1.0f);
      fill<BLOCK_N>(v_tile, v + offset, end - first_key, 1.0f);
      __syncthreads();
      float score[ROWS][kKeys];
      multiply_keys(score);
      if (first_key + BLOCK_N > end || first_key + BLOCK_N - 1 > first_row + diagonal)
        mask(score, first_key, end, diagonal);
      exponentiate(score);
      multiply_values();
    }
  }

  /// score = Q K^T for this thread's rows and keys.
  __device__ void multiply_keys(float (&score)[ROWS][kKeys]) const {
#pragma unroll
    for (int r = 0; r < ROWS; ++r)
#pragma unroll
      for (int n = 0; n < kKeys; ++n) score[r][n] = 0;
#pragma unroll 4
    for (int d = 0; d < D; d += 4) {
      harness::Vec<float, 4> query[ROWS];
#pragma unroll
      for (int r = 0; r < ROWS; ++r) query[r] = harness::load<4>(q_tile + (first_row + r) * kPitch + d);
#pragma unroll
      for (int n = 0; n < kKeys; ++n) {
        const harness::Vec<float, 4> key = harness::load<4>(k_tile + (lane + n * LANES) * kPitch + d);
#pragma unroll
        for (int r = 0; r < ROWS; ++r)
#pragma unroll
          for (int e = 0; e < 4; ++e) score[r][n] += query[r].at[e] * key.at[e];
      }
    }
  }

  __device__ void mask(float (&score)[ROWS][kKeys], int first_key, int end, int diagonal) const {
#pragma unroll
    for (int r = 0; r < ROWS; ++r)
#pragma unroll
      for (int n = 0; n < kKeys; ++n) {
        const int key = first_key + lane + n * LANES;
        if (key >= end || key > first_row + r + diagonal) score[r][n] = -harness::kInfinity;
      }
  }

  /// p = exp2(score - largest) goes to the score tile; what was summed under a smaller maximum is rescaled. A row that
  /// has seen no visible key yet keeps largest = -inf, and 0 stands in for it: exp2(-inf - -inf) would be NaN.
  __device__ void exponentiate(float (&score)[ROWS][kKeys]) {
    __syncwarp();  // the group has read the previous scores
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      float here = largest[r];
#pragma unroll
      for (int n = 0; n < kKeys; ++n) here = fmaxf(here, score[r][n]);
      here = harness::warp_max<LANES>(here);
      const float base = here == -harness::kInfinity ? 0.0f : here;
      const float rescale = exp2f(largest[r] - base);
      largest[r] = here;
      sum[r] *= rescale;
#pragma unroll
      for (int c = 0; c < kColumns; ++c) out[r][c] *= rescale;
#pragma unroll
      for (int n = 0; n < kKeys; ++n) {
        const float p = exp2f(score[r][n] - base);
        sum[r] += p;
        score_tile[(first_row + r) * kScorePitch + lane + n * LANES] = p;
      }
    }
    __syncwarp();  // a group's scores are written and read by the same warp: no barrier of the block
  }

  /// out += P V for this thread's rows and columns.
  __device__ void multiply_values() {
#pragma unroll 2
    for (int n = 0; n < BLOCK_N; n += 4) {
      harness::Vec<float, 4> p[ROWS];
#pragma unroll
      for (int r = 0; r < ROWS; ++r) p[r] = harness::load<4>(score_tile + (first_row + r) * kScorePitch + n);
#pragma unroll
      for (int e = 0; e < 4; ++e)
#pragma unroll
        for (int c = 0; c < kColumns; c += kChunk) {
          const harness::Vec<float, kChunk> value = harness::load<kChunk>(v_tile + (n + e) * kPitch + column(c));
#pragma unroll
          for (int r = 0; r < ROWS; ++r)
#pragma unroll
            for (int x = 0; x < kChunk; ++x) out[r][c + x] += p[r].at[e] * value.at[x];
        }
    }
  }

  /// Output column of this thread's c-th value (c a multiple of kChunk): chunks are interleaved over the lanes.
  __device__ int column(int c) const {
    return c * LANES + lane * kChunk;
  }
  /// Sum of exp2(score - largest) over all keys of row r. Called by all lanes.
  __device__ float sum_of_row(int r) const {
    return harness::warp_sum<LANES>(sum[r]);
  }
};
