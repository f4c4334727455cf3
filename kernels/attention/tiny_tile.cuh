#pragma once
#include <harness/cp_async.cuh>
#include <harness/exp2.cuh>
#include <harness/infinity.cuh>
#include <harness/ldmatrix.cuh>
#include <harness/load_now.cuh>
#include <harness/mma.cuh>
#include <harness/opaque.cuh>
#include <harness/pack.cuh>
#include <harness/vec.cuh>
#include <harness/warp.cuh>

// What one warp of 50_tiny does: ROWS query rows against KEYS keys, or against every so many keys, and what becomes of
// the partial results.
//
// Two ways for K and V into the operands of mma.sync (mma.cuh names who holds what; group = lane / 4, pair = lane % 4):
//
// ASYNC false: straight from global memory, 16 bytes a lane, with neither shared memory nor a barrier in between. The
// order of the columns d is free in both products as long as both operands agree, and it is chosen so that each lane's
// elements are neighbours in memory:
// - Q K^T sums over d. Of a row of Q or K a lane loads the chunks of 8 elements pair, pair + 4, ...; the four registers
//   of a chunk are the slots (2 pair, 2 pair + 1) and (2 pair + 8, 2 pair + 9) of two steps.
// - Of a row of V a lane loads chunk `group` (and group + 8, ...): element i of it belongs to output tile i, whose
// column
//   `group` therefore is d = 8 group + i. Keys are in turn the slots of the sum, two rows interleaved by two byte
//   permutations. So a lane's outputs are 8 neighbouring columns too.
// A load of the warp covers whole sectors of 32 bytes: 64 bytes of 8 rows (Q, K), 128 bytes of 4 rows (V).
//
// ASYNC true: cp.async into shared memory of the warp's own, and ldmatrix: columns in their natural order, fewer
// registers and instructions, one more trip through shared memory. Where D is not 64, 128 or 256 there is only this way,
// and rows lie an odd number of chunks apart instead of being swizzled (harness/attention_mma.cuh).
//
// Rows past the last one repeat it (they are masked, or not stored), so that no load needs a condition.

// A kernel of 2 us is mostly instructions that are executed once: each comes from memory first, and four warps a
// multiprocessor hide nothing. So the copies come before everything else, addresses are one exclusive-or or a constant
// away from each other, and what a warp does not need (a second step, WALKS false) is not there.

/// Of one row: the maximum of its scores, in units of log2, and the sum of their exponentials relative to it.
using TinyState = harness::Vec<float, 2>;

/// The output's rows among partial results are so many floats apart: lanes that store together hit different banks
/// (ASYNC false: two at a time the same).
template <int D>
constexpr int kTinyRow = D + 8;

/// Puts COUNT partial results of one row together: QUADS times 4 of its columns, `apart` floats from each other. The
/// first result lies at `out`, each further one `stride` floats behind; their states are `rows` apart. Returns the
/// state of all; `all` is relative to its maximum and not divided by its sum.
template <int COUNT, int QUADS>
__device__ inline TinyState combine_partials(harness::Vec<float, 4> (&all)[QUADS], const float* out, int apart,
                                             int stride, const TinyState* states, int rows) {
  TinyState part[COUNT], whole = {{-harness::kInfinity, 0}};
  harness::Vec<float, 4> columns[COUNT][QUADS];
#pragma unroll
  for (int i = 0; i < COUNT; ++i) {
    part[i] = states[i * rows];
    whole.at[0] = fmaxf(whole.at[0], part[i].at[0]);
#pragma unroll
    for (int q = 0; q < QUADS; ++q) columns[i][q] = harness::load<4>(out + i * stride + q * apart);
  }
  const float base = whole.at[0] == -harness::kInfinity ? 0.0f : whole.at[0];  // no visible key: weights exp2(-inf) = 0
#pragma unroll
  for (int q = 0; q < QUADS; ++q) all[q] = {};
#pragma unroll
  for (int i = 0; i < COUNT; ++i) {
    const float weight = harness::exp2_approx(part[i].at[0] - base);
    whole.at[1] += weight * part[i].at[1];
#pragma unroll
    for (int q = 0; q < QUADS; ++q)
#pragma unroll
      for (int c = 0; c < 4; ++c) all[q].at[c] += weight * columns[i][q].at[c];
  }
  return whole;
}

template <class T, int D, int ROWS, int KEYS, bool ASYNC, bool WALKS>
struct TinyTile {
  static constexpr int kTiles = ROWS / 16;  // of query rows
  static constexpr int kKeyTiles = KEYS / 8, kOutTiles = D / 8;
  static constexpr bool kSwizzled = D % 64 == 0 && 256 % D == 0;  // rows of 128, 256 or 512 bytes
  static constexpr int kSteps = (D + 15) / 16;  // products over the columns of K
  static constexpr int kChunks = 2 * kSteps;    // of a row: 16 bytes each; those from D / 8 on are 0
  static constexpr int kRowBytes = 16 * (kSwizzled ? kChunks : kChunks + 1);
  static constexpr int kStagedBytes = ASYNC ? (ROWS + 2 * KEYS) * kRowBytes : 0;
  static constexpr int kPartialFloats = ROWS * kTinyRow<D>;
  /// Shared memory of a warp, in floats: the staged tiles, and later in their place the partial results.
  static constexpr int kFloats = kStagedBytes / 4 > kPartialFloats ? kStagedBytes / 4 : kPartialFloats;
  static_assert(ROWS % 16 == 0 && KEYS % 16 == 0 && D % (ASYNC ? 8 : 64) == 0, "whole operands");

  float* shared;
  int lane, group, pair;
  unsigned query[kTiles][kSteps][4];  // A operands

  float out[kTiles][kOutTiles][4];  // sum of p * v, relative to `largest`
  float largest[kTiles][2];         // of rows group, group + 8; the same in the four lanes of a row
  float sum[kTiles][2];             // of p over this lane's keys only, until put_down() adds the lanes up

  __device__ explicit TinyTile(float* shared_memory) : shared(shared_memory) {
    lane = threadIdx.x % 32;
    group = lane / 4;
    pair = lane % 4;
#pragma unroll
    for (int m = 0; m < kTiles; ++m) {
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        largest[m][h] = -harness::kInfinity;
        sum[m][h] = 0;
      }
#pragma unroll
      for (int n = 0; n < kOutTiles; ++n)
#pragma unroll
        for (int i = 0; i < 4; ++i) out[m][n][i] = 0;
    }
  }

  /// Attends to the keys first ... first + KEYS - 1 and, if it WALKS, to those every `stride` keys further, that lie
  /// before `end`. Query row r sees key j only if j <= r + diagonal. The scores are multiplied by `factor` > 0.
  __device__ void attend(const T* q, const T* k, const T* v, int queries, int first, int end, int stride, int diagonal,
                         float factor) {
    if (first >= end) return;
    step<true>(q, k, v, queries, first, end, diagonal, factor);
    if constexpr (WALKS)
      for (int key = first + stride; key < end; key += stride)
        step<false>(q, k, v, queries, key, end, diagonal, factor);
  }

  template <bool FIRST>
  __device__ void step(const T* q, const T* k, const T* v, int queries, int key, int end, int diagonal, float factor) {
    float score[kTiles][kKeyTiles][4];
    if constexpr (ASYNC) step_staged<FIRST>(score, q, k, v, queries, key, end, diagonal, factor);
    else step_direct<FIRST>(score, q, k, v, queries, key, end, diagonal, factor);
  }

  template <bool FIRST>
  __device__ void step_direct(float (&score)[kTiles][kKeyTiles][4], const T* q, const T* k, const T* v, int queries,
                              int key, int end, int diagonal, float factor) {
    harness::Vec<unsigned, 4> keys[kKeyTiles][D / 32], values[KEYS / 16][4][D / 64];
    if constexpr (FIRST) load_queries(q, queries);
#pragma unroll
    for (int n = 0; n < kKeyTiles; ++n)
#pragma unroll
      for (int j = 0; j < D / 32; ++j)
        keys[n][j] = harness::load_now(at(k, key + 8 * n + group, end) + 8 * (pair + 4 * j));
#pragma unroll
    for (int s = 0; s < KEYS / 16; ++s)
#pragma unroll
      for (int x = 0; x < 4; ++x)
#pragma unroll
        for (int j = 0; j < D / 64; ++j)
          values[s][x][j] =
              harness::load_now(at(v, key + 16 * s + 2 * pair + x % 2 + x / 2 * 8, end) + 8 * (group + 8 * j));

    clear(score);
#pragma unroll
    for (int s = 0; s < D / 16; ++s)
#pragma unroll
      for (int n = 0; n < kKeyTiles; ++n)
#pragma unroll
        for (int m = 0; m < kTiles; ++m)
          harness::mma_m16n8k16<T>(score[m][n], query[m][s], keys[n][s / 2].at[s % 2 * 2],
                                   keys[n][s / 2].at[s % 2 * 2 + 1]);
    exponentiate<FIRST>(score, key, end, diagonal, factor);
#pragma unroll
    for (int s = 0; s < KEYS / 16; ++s) {
      unsigned a[kTiles][4];
      weights(a, score, s);
#pragma unroll
      for (int n = 0; n < kOutTiles; ++n) {
        // Element n % 8 of the chunk, of two neighbouring keys: the lower or the upper halves of two registers.
        const unsigned halves = n % 2 ? 0x7632u : 0x5410u;
        const int j = n / 8, i = n % 8 / 2;
        const unsigned b0 = __byte_perm(values[s][0][j].at[i], values[s][1][j].at[i], halves);
        const unsigned b1 = __byte_perm(values[s][2][j].at[i], values[s][3][j].at[i], halves);
#pragma unroll
        for (int m = 0; m < kTiles; ++m) harness::mma_m16n8k16<T>(out[m][n], a[m], b0, b1);
      }
    }
  }

  /// Row `row` of a tensor, or its last one where that would lie at `end` or behind.
  __device__ static const T* at(const T* tensor, int row, int end) {
    return tensor + static_cast<long long>(min(row, end - 1)) * D;
  }

  __device__ void load_queries(const T* q, int queries) {
#pragma unroll
    for (int m = 0; m < kTiles; ++m)
#pragma unroll
      for (int h = 0; h < 2; ++h)
#pragma unroll
        for (int j = 0; j < D / 32; ++j) {
          const harness::Vec<unsigned, 4> chunk =
              harness::load_now(at(q, 16 * m + group + 8 * h, queries) + 8 * (pair + 4 * j));
#pragma unroll
          for (int i = 0; i < 4; ++i) query[m][2 * j + i / 2][h + i % 2 * 2] = chunk.at[i];
        }
  }

  template <bool FIRST>
  __device__ void step_staged(float (&score)[kTiles][kKeyTiles][4], const T* q, const T* k, const T* v, int queries,
                              int key, int end, int diagonal, float factor) {
    char* const q_tile = reinterpret_cast<char*>(shared);
    char* const k_tile = q_tile + ROWS * kRowBytes;
    char* const v_tile = k_tile + KEYS * kRowBytes;
    if constexpr (!FIRST) __syncwarp();  // the tiles of the step before have been read
    if ((!FIRST || queries == ROWS) && key + KEYS <= end) stage_step<FIRST, true>(q_tile, q, k, v, queries, key, end);
    else stage_step<FIRST, false>(q_tile, q, k, v, queries, key, end);

    // The rows and halves of 16 x 16 elements that this lane names to ldmatrix: of Q and V, and of K.
    const int wide = swizzled(lane % 16, lane / 16), tall = swizzled(lane / 16 * 8 + lane % 8, lane / 8 % 2);
    clear(score);
    harness::cp_async_wait<1>();
    __syncwarp();
    if constexpr (FIRST) {
#pragma unroll
      for (int m = 0; m < kTiles; ++m)
#pragma unroll
        for (int s = 0; s < kSteps; ++s) harness::ldmatrix_x4(query[m][s], q_tile + further(wide, 16 * m, 2 * s));
    }
#pragma unroll
    for (int s = 0; s < kSteps; ++s)
#pragma unroll
      for (int n = 0; n < kKeyTiles; n += 2) {
        unsigned b[4];
        harness::ldmatrix_x4(b, k_tile + further(tall, 8 * n, 2 * s));
#pragma unroll
        for (int m = 0; m < kTiles; ++m) {
          harness::mma_m16n8k16<T>(score[m][n], query[m][s], b[0], b[1]);
          harness::mma_m16n8k16<T>(score[m][n + 1], query[m][s], b[2], b[3]);
        }
      }
    exponentiate<FIRST>(score, key, end, diagonal, factor);
    harness::cp_async_wait<0>();
    __syncwarp();
#pragma unroll
    for (int s = 0; s < KEYS / 16; ++s) {
      unsigned a[kTiles][4];
      weights(a, score, s);
#pragma unroll
      for (int n = 0; n < kOutTiles; n += 2) {
        unsigned b[4];
        harness::ldmatrix_x4_trans(b, v_tile + further(wide, 16 * s, n));
#pragma unroll
        for (int m = 0; m < kTiles; ++m) {
          harness::mma_m16n8k16<T>(out[m][n], a[m], b[0], b[1]);
          if (n + 1 < kOutTiles) harness::mma_m16n8k16<T>(out[m][n + 1], a[m], b[2], b[3]);
        }
      }
    }
  }

  /// Where chunk `chunk` of row `row` lies in a staged tile, bytes: eight rows of one chunk lie in different banks.
  __device__ static int swizzled(int row, int chunk) {
    if constexpr (kSwizzled) return row * kRowBytes + ((chunk ^ (row % 8)) * 16);
    else return row * kRowBytes + chunk * 16;
  }
  /// The place `rows` rows and `chunks` chunks further, where neither sum carries: then it is an exclusive-or.
  __device__ static int further(int place, int rows, int chunks) {
    if constexpr (kSwizzled) return (place ^ ((chunks ^ rows % 8) * 16)) + rows * kRowBytes;
    else return place + rows * kRowBytes + chunks * 16;
  }

  /// Starts the copies of a step, in two groups: queries and keys, values. WHOLE: no row lies at `queries` or `end`
  /// or behind.
  template <bool FIRST, bool WHOLE>
  __device__ void stage_step(char* tile, const T* q, const T* k, const T* v, int queries, int key, int end) const {
    if constexpr (FIRST) stage<ROWS, WHOLE>(tile, q, 0, queries);
    stage<KEYS, WHOLE>(tile + ROWS * kRowBytes, k, key, end);
    harness::cp_async_commit();
    stage<KEYS, WHOLE>(tile + (ROWS + KEYS) * kRowBytes, v, key, end);
    harness::cp_async_commit();
  }

  /// COUNT rows from `first_row` on; unless they are WHOLE, those at `end` and behind are the last one again.
  template <int COUNT, bool WHOLE>
  __device__ void stage(char* tile, const T* source, int first_row, int end) const {
    if constexpr (kSwizzled) stage_swizzled<COUNT, WHOLE>(tile, source, first_row, end);
    else
#pragma unroll
      for (int i = lane; i < COUNT * kChunks; i += 32) {
        const int row = i / kChunks, chunk = i % kChunks;
        const T* const from = at(source, first_row + row, WHOLE ? first_row + COUNT : end) + 8 * chunk;
        harness::cp_async<16>(tile + swizzled(row, chunk), from, chunk < D / 8 ? 16 : 0);
      }
  }
  template <int COUNT, bool WHOLE>
  __device__ void stage_swizzled(char* tile, const T* source, int first_row, int end) const {
    constexpr int kAtOnce = 32 / kChunks;  // rows
    const int row = lane / kChunks, chunk = lane % kChunks;
    const int place = swizzled(row, chunk);
    const char* const rows = reinterpret_cast<const char*>(source + static_cast<long long>(first_row) * D) + 16 * chunk;
    const char* const from = harness::opaque(rows + row * kRowBytes);
#pragma unroll
    for (int i = 0; i < COUNT / kAtOnce; ++i) {
      const int here = WHOLE ? i * kAtOnce : min(i * kAtOnce, end - 1 - first_row - row);
      harness::cp_async<16>(tile + further(place, i * kAtOnce, 0), from + here * kRowBytes);
    }
  }

  __device__ static void clear(float (&score)[kTiles][kKeyTiles][4]) {
#pragma unroll
    for (int m = 0; m < kTiles; ++m)
#pragma unroll
      for (int n = 0; n < kKeyTiles; ++n)
#pragma unroll
        for (int i = 0; i < 4; ++i) score[m][n][i] = 0;
  }

  /// p of the keys 16 s ... 16 s + 15, rounded, as A operands.
  __device__ static void weights(unsigned (&a)[kTiles][4], const float (&p)[kTiles][kKeyTiles][4], int s) {
#pragma unroll
    for (int m = 0; m < kTiles; ++m)
#pragma unroll
      for (int i = 0; i < 4; ++i)
        a[m][i] = harness::pack<T>(p[m][2 * s + i / 2][i % 2 * 2], p[m][2 * s + i / 2][i % 2 * 2 + 1]);
  }

  /// score becomes p = exp2(factor * score - largest). Only a step behind the first has anything to rescale.
  template <bool FIRST>
  __device__ void exponentiate(float (&score)[kTiles][kKeyTiles][4], int key, int end, int diagonal, float factor) {
    if (key + KEYS > end || key + KEYS - 1 > diagonal) mask(score, key, end, diagonal);
#pragma unroll
    for (int m = 0; m < kTiles; ++m)
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        float here = -harness::kInfinity;
#pragma unroll
        for (int n = 0; n < kKeyTiles; ++n) here = fmaxf(here, fmaxf(score[m][n][2 * h], score[m][n][2 * h + 1]));
        here = factor * harness::warp_max<4>(here);
        if constexpr (!FIRST) here = fmaxf(largest[m][h], here);
        const float base = here == -harness::kInfinity ? 0.0f : here;  // exp2(-inf - -inf) would be NaN
        if constexpr (!FIRST) {
          const float rescale = harness::exp2_approx(largest[m][h] - base);
          sum[m][h] *= rescale;
#pragma unroll
          for (int n = 0; n < kOutTiles; ++n) {
            out[m][n][2 * h] *= rescale;
            out[m][n][2 * h + 1] *= rescale;
          }
        }
        largest[m][h] = here;
#pragma unroll
        for (int n = 0; n < kKeyTiles; ++n)
#pragma unroll
          for (int e = 2 * h; e < 2 * h + 2; ++e) {
            score[m][n][e] = harness::exp2_approx(fmaf(score[m][n][e], factor, -base));
            sum[m][h] += score[m][n][e];
          }
      }
  }

  __device__ void mask(float (&score)[kTiles][kKeyTiles][4], int first_key, int end, int diagonal) const {
#pragma unroll
    for (int m = 0; m < kTiles; ++m)
#pragma unroll
      for (int n = 0; n < kKeyTiles; ++n)
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const int key = first_key + 8 * n + 2 * pair + i % 2, row = 16 * m + group + i / 2 * 8;
          if (key >= end || key > row + diagonal) score[m][n][i] = -harness::kInfinity;
        }
  }

  /// For a warp that has nobody to combine with: divides, and stores the rows below `queries` of o [queries, D] and of
  /// lse [queries] (null: none).
  __device__ void store_alone(T* o, float* lse, int queries) const {
#pragma unroll
    for (int m = 0; m < kTiles; ++m)
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const int row = 16 * m + group + 8 * h;
        const float total = harness::warp_sum<4>(sum[m][h]);
        if (row >= queries) continue;
        const float inverse = total > 0 ? __fdividef(1.0f, total) : 0.0f;  // a row that sees no key is 0
        unsigned* const place = reinterpret_cast<unsigned*>(o + static_cast<long long>(row) * D);
        if constexpr (ASYNC) {
#pragma unroll
          for (int n = 0; n < kOutTiles; ++n)
            place[4 * n + pair] = harness::pack<T>(out[m][n][2 * h] * inverse, out[m][n][2 * h + 1] * inverse);
        } else {
#pragma unroll
          for (int n = 0; n < kOutTiles; n += 8)
#pragma unroll
            for (int e = 0; e < 2; ++e) {
              harness::Vec<unsigned, 4> chunk;
#pragma unroll
              for (int i = 0; i < 4; ++i)
                chunk.at[i] = harness::pack<T>(out[m][n + 2 * i][2 * h + e] * inverse,
                                               out[m][n + 2 * i + 1][2 * h + e] * inverse);
              harness::store(place + 4 * (n + 2 * pair + e), chunk);
            }
        }
        if (lse && pair == 0)
          lse[row] = total > 0 ? largest[m][h] * 0.6931471805599453f + logf(total) : -harness::kInfinity;
      }
  }

  /// Stores the warp's partial results, in shared memory of this block or of another: row r's outputs at `out_at(r)`,
  /// its state at `state_at(r)`.
  template <class OutAt, class StateAt>
  __device__ void put_down(OutAt out_at, StateAt state_at) {
    if constexpr (ASYNC) __syncwarp();  // the staged tiles may lie in the same place; they have been read
#pragma unroll
    for (int m = 0; m < kTiles; ++m)
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const int row = 16 * m + group + 8 * h;
        const float total = harness::warp_sum<4>(sum[m][h]);
        if (pair == 0) *state_at(row) = TinyState{{largest[m][h], total}};
        float* const place = out_at(row);
        if constexpr (ASYNC) {
#pragma unroll
          for (int n = 0; n < kOutTiles; ++n)
            harness::store(place + 8 * n + 2 * pair, harness::Vec<float, 2>{{out[m][n][2 * h], out[m][n][2 * h + 1]}});
        } else {
#pragma unroll
          for (int n = 0; n < kOutTiles; n += 4)
#pragma unroll
            for (int e = 2 * h; e < 2 * h + 2; ++e)
              harness::store(
                  place + n / 8 * 64 + 16 * pair + e % 2 * 8 + n / 4 % 2 * 4,
                  harness::Vec<float, 4>{{out[m][n][e], out[m][n + 1][e], out[m][n + 2][e], out[m][n + 3][e]}});
        }
      }
  }
};
