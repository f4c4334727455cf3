#pragma once
#include <harness/convert.cuh>
#include <harness/exp2.cuh>
#include <harness/infinity.cuh>
#include <harness/mma.cuh>
#include <harness/pack.cuh>
#include <harness/vec.cuh>
#include <harness/warp.cuh>

// A warp with a few query rows and all keys of its range (playbook 112 and 113): what 46_decode does with keys and values
// once they are in registers.
//
// The query heads that share a key/value head are packed into the rows of one tile, so their keys are read once. The
// rows are so few that the tensor cores' tiles stand on end: the output is computed transposed, O^T = V^T P^T, so that
// the 16 rows of a product are columns of V and its 8 columns are query rows, which fills it with 8 rows.
//   scores    S = Q K^T      A: query rows `group` (and `group` + 8 with HALVES = 2); B: keys
//   output    O^T = V^T P^T  A: columns of V; B: the weights of 8 query rows
// The scores of a lane, exponentiated and packed in pairs of keys, are the B operand of the second product where they
// lie: nothing is exchanged between lanes but a row's maximum, among the four that share it.
//
// Which columns of K a product takes as its 16 is up to who loads them, as long as Q has the same; likewise the columns
// of V.
//
// `largest` follows a row's maximum only where that has grown by more than kSlack (FlashAttention 4's rule, see
// wgmma_rows.cuh); it is in units of log2.

/// Rows of a group, query head by query head, Sq each: what row r of a tile sees does not grow with r.
struct PackedRows {
  int first, Sq, shift;  // first row of the tile in the group; query i sees the keys up to i + shift
  __device__ int last_key(int row) const { return (first + row) % Sq + shift; }
  /// Every row sees the keys up to this one.
  __device__ int last_of_all() const { return shift; }
};

template <class T, int D, int HALVES>
struct PackedTile {
  static constexpr int kRows = 8 * HALVES;
  static constexpr int kSteps = D / 16, kOutTiles = D / 16;  // products over the columns of K; tiles of columns of V
  static constexpr float kSlack = 8;

  int group, pair;  // of this lane; neighbouring lanes of one group share the rows group, group + 8
  unsigned query[HALVES][kSteps][2];
  // [0], [1]: rows 2 pair, 2 pair + 1 of a tile's column `group`; [2], [3]: of its column `group` + 8.
  float out[HALVES][kOutTiles][4];
  float largest[HALVES];  // of row group; the same in the four lanes of a row
  float sum[HALVES];      // of p over this lane's keys only

  __device__ PackedTile() : group(threadIdx.x % 32 / 4), pair(threadIdx.x % 4) {
#pragma unroll
    for (int h = 0; h < HALVES; ++h) {
      largest[h] = -harness::kInfinity;
      sum[h] = 0;
#pragma unroll
      for (int n = 0; n < kOutTiles; ++n)
#pragma unroll
        for (int i = 0; i < 4; ++i) out[h][n][i] = 0;
    }
  }

  /// Adds the products over columns `step` of 8 keys, given as a B operand.
  __device__ void multiply_keys(float (&score)[4], int step, unsigned b0, unsigned b1) const {
    constexpr int kLast = HALVES - 1;
    const unsigned a[4] = {query[0][step][0], HALVES > 1 ? query[kLast][step][0] : 0u, query[0][step][1],
                           HALVES > 1 ? query[kLast][step][1] : 0u};
    harness::mma_m16n8k16<T>(score, a, b0, b1);
  }

  /// Scores of keys first_key + 8 n + 2 pair (+ 1) count as -inf from `end` on and where a row does not see the key.
  template <int TILES>
  __device__ void mask(float (&score)[TILES][4], int first_key, int end, PackedRows rows) const {
    if (first_key + 8 * TILES <= min(end, rows.last_of_all() + 1)) return;
#pragma unroll
    for (int n = 0; n < TILES; ++n)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int key = first_key + 8 * n + 2 * pair + i % 2;
        if (key >= end || key > rows.last_key(group + i / 2 * 8)) score[n][i] = -harness::kInfinity;
      }
  }

  /// p = exp2(factor * score - largest), rounded, in pairs of keys. Where a row's maximum has grown, what was summed is
  /// rescaled. A row that has seen no visible key yet keeps largest = -inf, and 0 stands in for it.
  template <int TILES>
  __device__ void exponentiate(const float (&score)[TILES][4], unsigned (&p)[HALVES][TILES], float factor) {
#pragma unroll
    for (int h = 0; h < HALVES; ++h) {
      float here = -harness::kInfinity;
#pragma unroll
      for (int n = 0; n < TILES; ++n) here = fmaxf(here, fmaxf(score[n][2 * h], score[n][2 * h + 1]));
      here = factor * harness::warp_max<4>(here);
      const bool grew = here > largest[h] + kSlack;
      if (__any_sync(0xffffffffu, grew)) rescale(h, grew ? here : largest[h]);
      const float base = largest[h] == -harness::kInfinity ? 0.0f : largest[h];
#pragma unroll
      for (int n = 0; n < TILES; ++n) {
        const float first = harness::exp2_approx(fmaf(score[n][2 * h], factor, -base));
        const float second = harness::exp2_approx(fmaf(score[n][2 * h + 1], factor, -base));
        sum[h] += first + second;
        p[h][n] = harness::pack<T>(first, second);
      }
    }
  }

  /// Adds 16 columns of V, given as an A operand, weighted by p over two tiles of 8 keys.
  __device__ void multiply_values(int tile, const unsigned (&a)[4], const unsigned (&p)[HALVES][2]) {
#pragma unroll
    for (int h = 0; h < HALVES; ++h) harness::mma_m16n8k16<T>(out[h][tile], a, p[h][0], p[h][1]);
  }

 private:
  /// By all lanes: the rows of half h are relative to `to` from now on. An output's rows belong to other lanes.
  __device__ void rescale(int h, float to) {
    const float weight = to == -harness::kInfinity ? 1.0f : harness::exp2_approx(largest[h] - to);
    largest[h] = to;
    sum[h] *= weight;
    const float even = __shfl_sync(0xffffffffu, weight, 8 * pair), odd = __shfl_sync(0xffffffffu, weight, 8 * pair + 4);
#pragma unroll
    for (int n = 0; n < kOutTiles; ++n)
#pragma unroll
      for (int i = 0; i < 4; ++i) out[h][n][i] *= i % 2 ? odd : even;
  }
};

// The largest of a row's maxima over several results, and the weights that make them relative to it.
__device__ inline float weight_of(float largest, float overall) {
  return harness::exp2_approx(largest - (overall == -harness::kInfinity ? 0.0f : overall));
}

__device__ inline float log_sum_exp(float largest, float sum) {
  return sum > 0 ? largest * 0.6931471805599453f + logf(sum) : -harness::kInfinity;
}

/// Where a grid's results go. The partial ones are relative to their own maximum and not divided by their sum.
template <class T>
struct PackedOutput {
  T* o;                                          // [rows, D] of this tile
  float* lse;                                    // [rows], or null
  float *o_partial, *max_partial, *sum_partial;  // [splits, kRows, D], [splits, kRows] of this tile
  unsigned* arrived;                             // of this tile: zero before and after
};

/// Puts the warps of a block together, then the blocks of a tile: the one that comes last does. `shared` holds kWarps *
/// kRows * (D + 1) floats, kRows * splits at least, and nothing that is still needed. `column(n)` is the column of
/// out[h][n][0] and [1]; that of [2] and [3] is the next one.
template <int WARPS, class T, int D, int HALVES, class Column>
__device__ void combine(const PackedTile<T, D, HALVES>& tile, float* shared, int valid, int split, int splits,
                        const PackedOutput<T>& to, Column column) {
  constexpr int kRows = 8 * HALVES;
  __shared__ float largest[WARPS][kRows], sum[WARPS][kRows];
  const int warp = threadIdx.x / 32;
#pragma unroll
  for (int h = 0; h < HALVES; ++h) {
    const float total = harness::warp_sum<4>(tile.sum[h]);
    if (tile.pair == 0) {
      largest[warp][8 * h + tile.group] = tile.largest[h];
      sum[warp][8 * h + tile.group] = total;
    }
#pragma unroll
    for (int n = 0; n < tile.kOutTiles; ++n)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int row = 8 * h + 2 * tile.pair + i % 2;
        if (row < valid) shared[(warp * kRows + row) * (D + 1) + column(n) + i / 2] = tile.out[h][n][i];
      }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < valid * D; i += 32 * WARPS) {
    const int row = i / D;
    float overall = -harness::kInfinity, out = 0, total = 0;
#pragma unroll
    for (int w = 0; w < WARPS; ++w) overall = fmaxf(overall, largest[w][row]);
#pragma unroll
    for (int w = 0; w < WARPS; ++w) {
      const float weight = weight_of(largest[w][row], overall);
      out += weight * shared[(w * kRows + row) * (D + 1) + i % D];
      total += weight * sum[w][row];
    }
    if (splits == 1) {
      to.o[i] = harness::from_float<T>(total > 0 ? out / total : 0.0f);  // a row that sees no key is 0
      if (to.lse && i % D == 0) to.lse[row] = log_sum_exp(overall, total);
      continue;
    }
    to.o_partial[split * kRows * D + i] = out;
    if (i % D == 0) {
      to.max_partial[split * kRows + row] = overall;
      to.sum_partial[split * kRows + row] = total;
    }
  }
  if (splits == 1) return;

  // The block that comes last finds what all have written: each wrote, fenced, and then counted itself.
  __shared__ unsigned before;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) before = atomicAdd(to.arrived, 1u);
  __syncthreads();
  if (before != splits - 1) return;
  __threadfence();
  __shared__ float inverse[kRows];
  const int lane = threadIdx.x % 32;
  for (int row = warp; row < valid; row += WARPS) {
    float overall = -harness::kInfinity, total = 0;
    for (int s = lane; s < splits; s += 32) overall = fmaxf(overall, __ldcg(to.max_partial + s * kRows + row));
    overall = harness::warp_max(overall);
    for (int s = lane; s < splits; s += 32) {
      const float weight = weight_of(__ldcg(to.max_partial + s * kRows + row), overall);
      shared[row * splits + s] = weight;
      total += weight * __ldcg(to.sum_partial + s * kRows + row);
    }
    total = harness::warp_sum(total);
    if (lane != 0) continue;
    inverse[row] = total > 0 ? 1.0f / total : 0.0f;
    if (to.lse) to.lse[row] = log_sum_exp(overall, total);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < valid * D; i += 32 * WARPS) {
    const int row = i / D;
    float out = 0;
#pragma unroll 8
    for (int s = 0; s < splits; ++s) out += shared[row * splits + s] * __ldcg(to.o_partial + s * kRows * D + i);
    to.o[i] = harness::from_float<T>(out * inverse[row]);
  }
  if (threadIdx.x == 0) *to.arrived = 0;
}

/// What a block works on. Grid: splits * tiles of a group x (B * Hkv). Workspaces, by tile of the grid: o_partial
/// [splits, kRows, D], max_partial and sum_partial [splits, kRows], of which the rows that exist are written, and
/// arrived.
struct PackedBlock {
  int split, first_row, valid;  // rows of a group lie one after the other in q and o
  long long kv_head, first_of_out, tile_of_grid;
  PackedRows rows;

  __device__ PackedBlock(int tile_rows, int Hq, int Hkv, int Sq, int Sk, bool causal, int splits)
      : split(blockIdx.x % splits), first_row(blockIdx.x / splits * tile_rows), kv_head(blockIdx.y) {
    const int rows_of_group = Hq / Hkv * Sq;
    valid = min(tile_rows, rows_of_group - first_row);
    first_of_out = kv_head * rows_of_group + first_row;
    tile_of_grid = kv_head * (gridDim.x / splits) + blockIdx.x / splits;
    rows = PackedRows{first_row, Sq, causal ? Sk - Sq : Sk};
  }

  /// Keys [begin, end) of this block's split: whole rounds of `round` keys to each. The last ones may get none.
  __device__ int end(int Sk, int splits, int round) const { return min(Sk, (split + 1) * range(Sk, splits, round)); }
  __device__ int begin(int Sk, int splits, int round) const { return split * range(Sk, splits, round); }

 private:
  __device__ static int range(int Sk, int splits, int round) {
    return (Sk + splits * round - 1) / (splits * round) * round;
  }
};
