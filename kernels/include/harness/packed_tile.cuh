#pragma once
#include <harness/exp2.cuh>
#include <harness/infinity.cuh>
#include <harness/mma.cuh>
#include <harness/pack.cuh>
#include <harness/vec.cuh>
#include <harness/warp.cuh>

namespace harness {

// A warp with a few query rows and all keys of its range (playbook 112 and 113): what decoding does with keys
// and values once they are in registers (chunked_tile.cuh), and how warps and blocks put their results
// together.
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
// attention_wgmma.cuh); it is in units of log2.

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
  // Products over the columns of K, tiles of columns of V. They are loaded 32 and 64 at a time, with zeros behind D.
  static constexpr int kSteps = (D + 31) / 32 * 2, kOutTiles = (D + 63) / 64 * 4;
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
      largest[h] = -kInfinity;
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
    mma_m16n8k16<T>(score, a, b0, b1);
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
        if (key >= end || key > rows.last_key(group + i / 2 * 8)) score[n][i] = -kInfinity;
      }
  }

  /// p = exp2(factor * score - largest), rounded, in pairs of keys. Where a row's maximum has grown, what was summed is
  /// rescaled. A row that has seen no visible key yet keeps largest = -inf, and 0 stands in for it.
  template <int TILES>
  __device__ void exponentiate(const float (&score)[TILES][4], unsigned (&p)[HALVES][TILES], float factor) {
#pragma unroll
    for (int h = 0; h < HALVES; ++h) {
      float here = -kInfinity;
#pragma unroll
      for (int n = 0; n < TILES; ++n) here = fmaxf(here, fmaxf(score[n][2 * h], score[n][2 * h + 1]));
      here = factor * warp_max<4>(here);
      const bool grew = here > largest[h] + kSlack;
      if (__any_sync(0xffffffffu, grew)) rescale(h, grew ? here : largest[h]);
      const float base = largest[h] == -kInfinity ? 0.0f : largest[h];
#pragma unroll
      for (int n = 0; n < TILES; ++n) {
        const float first = exp2_approx(fmaf(score[n][2 * h], factor, -base));
        const float second = exp2_approx(fmaf(score[n][2 * h + 1], factor, -base));
        sum[h] += first + second;
        p[h][n] = pack<T>(first, second);
      }
    }
  }

  /// Adds 16 columns of V, given as an A operand, weighted by p over two tiles of 8 keys.
  __device__ void multiply_values(int tile, const unsigned (&a)[4], const unsigned (&p)[HALVES][2]) {
#pragma unroll
    for (int h = 0; h < HALVES; ++h) mma_m16n8k16<T>(out[h][tile], a, p[h][0], p[h][1]);
  }

 private:
  /// By all lanes: the rows of half h are relative to `to` from now on. An output's rows belong to other lanes.
  __device__ void rescale(int h, float to) {
    const float weight = to == -kInfinity ? 1.0f : exp2_approx(largest[h] - to);
    largest[h] = to;
    sum[h] *= weight;
    const float even = __shfl_sync(0xffffffffu, weight, 8 * pair), odd = __shfl_sync(0xffffffffu, weight, 8 * pair + 4);
#pragma unroll
    for (int n = 0; n < kOutTiles; ++n)
#pragma unroll
      for (int i = 0; i < 4; ++i) out[h][n][i] *= i % 2 ? odd : even;
  }
};

// What makes a result that is relative to `largest` relative to `overall`.
__device__ inline float weight_of(float largest, float overall) {
  return exp2_approx(largest - (overall == -kInfinity ? 0.0f : overall));
}

__device__ inline float log_sum_exp(float largest, float sum) {
  return sum > 0 ? largest * 0.6931471805599453f + logf(sum) : -kInfinity;
}

/// Two neighbouring columns of a row's result, not divided by the row's sum yet and relative to its maximum so far.
struct PackedPair {
  float out[2] = {0, 0}, largest = -kInfinity, sum = 0;

  /// Takes N results in, of which some may be of no key.
  template <int N>
  __device__ void add(const PackedPair (&others)[N]) {
    float overall = largest;
#pragma unroll
    for (int i = 0; i < N; ++i) overall = fmaxf(overall, others[i].largest);
    const float own = weight_of(largest, overall);
    out[0] *= own, out[1] *= own, sum *= own, largest = overall;
#pragma unroll
    for (int i = 0; i < N; ++i) {
      const float weight = weight_of(others[i].largest, overall);
      out[0] += weight * others[i].out[0], out[1] += weight * others[i].out[1], sum += weight * others[i].sum;
    }
  }
};

/// A tile's part of the results.
template <class T, int D>
struct PackedOutput {
  T* o;        // [valid rows, D]
  float* lse;  // [valid rows], or null

  /// A row that sees no key is 0.
  __device__ void store(int row, int column, const PackedPair& p) const {
    const float inverse = p.sum > 0 ? 1.0f / p.sum : 0.0f;
    *reinterpret_cast<unsigned*>(o + row * D + column) = pack<T>(p.out[0] * inverse, p.out[1] * inverse);
    if (lse && column == 0) lse[row] = log_sum_exp(p.largest, p.sum);
  }
};

/// In shared memory: the results of a block's warps. `column(n)` is the column of out[h][n][0] and [1]; that of [2] and
/// [3] is the next one.
template <int WARPS, int ROWS, int D>
struct WarpResults {
  float out[WARPS][ROWS][D + 1], largest[WARPS][ROWS], sum[WARPS][ROWS];

  /// By all threads; a __syncthreads() follows.
  template <class Tile, class Column>
  __device__ void put_down(const Tile& tile, int valid, Column column) {
    const int warp = threadIdx.x / 32;
#pragma unroll
    for (int h = 0; h < ROWS / 8; ++h) {
      const float total = warp_sum<4>(tile.sum[h]);
      if (tile.pair == 0) {
        largest[warp][8 * h + tile.group] = tile.largest[h];
        sum[warp][8 * h + tile.group] = total;
      }
#pragma unroll
      for (int n = 0; n < tile.kOutTiles; ++n)
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const int row = 8 * h + 2 * tile.pair + i % 2;
          if (row < valid && (D % 64 == 0 || column(n) < D)) out[warp][row][column(n) + i / 2] = tile.out[h][n][i];
        }
    }
  }
  __device__ PackedPair together(int row, int column) const {
    PackedPair each[WARPS], all;
#pragma unroll
    for (int w = 0; w < WARPS; ++w)
      each[w] = {{out[w][row][column], out[w][row][column + 1]}, largest[w][row], sum[w][row]};
    all.add(each);
    return all;
  }
};

/// In memory, for each tile: where the blocks that share its keys meet.
struct PackedPartials {
  float *o, *largest, *sum;  // [splits, ROWS, D], [splits, ROWS], of which the valid rows are written
  unsigned* arrived;         // zero before and after

  template <int ROWS, int D>
  __device__ void store(int split, int row, int column, const PackedPair& p) const {
    harness::store(o + (split * ROWS + row) * D + column, Vec<float, 2>{p.out[0], p.out[1]});
    if (column != 0) return;
    largest[split * ROWS + row] = p.largest;
    sum[split * ROWS + row] = p.sum;
  }
  /// A thread asks for everything before it waits for anything: up to kAtOnce splits cost it one trip to the L2. More
  /// at once would take registers that a tile, which needs fewer where D is smaller, leaves to other blocks.
  template <int ROWS, int D>
  __device__ PackedPair together(int splits, int row, int column) const {
    constexpr int kAtOnce = D / 8;
    PackedPair all;
    for (int first = 0; first < splits; first += kAtOnce) {
      PackedPair each[kAtOnce];
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        if (first + i >= splits) continue;
        const int at = (first + i) * ROWS + row;
        const float2 two = __ldcg(reinterpret_cast<const float2*>(o + at * D + column));
        each[i] = {{two.x, two.y}, __ldcg(largest + at), __ldcg(sum + at)};
      }
      all.add(each);
    }
    return all;
  }
};

/// Puts the warps of a block together, then the blocks of a tile: the one that comes last does. `shared` holds
/// WarpResults and nothing that is still needed.
template <int WARPS, class T, int D, int HALVES, class Column>
__device__ void combine(const PackedTile<T, D, HALVES>& tile, void* shared, int valid, int split, int splits,
                        const PackedOutput<T, D>& to, const PackedPartials& partials, Column column) {
  constexpr int kRows = 8 * HALVES, kThreads = 32 * WARPS;
  auto& warps = *static_cast<WarpResults<WARPS, kRows, D>*>(shared);
  warps.put_down(tile, valid, column);
  __syncthreads();
  for (int i = 2 * threadIdx.x; i < valid * D; i += 2 * kThreads) {
    const PackedPair p = warps.together(i / D, i % D);
    if (splits == 1) to.store(i / D, i % D, p);
    else partials.store<kRows, D>(split, i / D, i % D, p);
  }
  if (splits == 1) return;

  // The block that comes last finds what all have written: each wrote, met at a barrier behind which one thread fenced
  // for all, and then counted itself.
  __shared__ unsigned before;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    before = atomicAdd(partials.arrived, 1u);
    __threadfence();
  }
  __syncthreads();
  if (before != splits - 1) return;
  for (int i = 2 * threadIdx.x; i < valid * D; i += 2 * kThreads)
    to.store(i / D, i % D, partials.together<kRows, D>(splits, i / D, i % D));
  if (threadIdx.x == 0) *partials.arrived = 0;
}

/// What a block works on. Grid: splits * tiles of a group x (B * Hkv).
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

}  // namespace harness
