#pragma once
#include <harness/exp2.cuh>
#include <harness/infinity.cuh>
#include <harness/pack.cuh>
#include <harness/quad.cuh>
#include <harness/tma.cuh>
#include <harness/warp.cuh>
#include <harness/warpgroup.cuh>
#include <harness/wgmma.cuh>

// What the attention variants for Hopper share: a warpgroup owns 64 query rows from the scores to the output
// (FlashAttention 3).
//
// Of its 64 x BLOCK_N scores and 64 x D outputs a lane holds the elements that wgmma.cuh names: two rows, `group` and
// `group` + 8 of its warp's sixteen, and pairs of columns. Four neighbouring lanes share a row. Both products read K
// and V from shared memory by themselves; the exponentiated scores, rounded and packed, are the A operand of the second
// one where they lie.
//
// Tiles in shared memory are what one TMA box brings: *panels* of 64 columns (128 bytes a row, swizzled by 128 bytes),
// one after the other: D / 64 panels of 64 * WARPGROUPS rows for Q, of BLOCK_N rows for K and for V. Where D is no
// multiple of 64, TMA fills the last panel up with zeros, and stores nothing behind column D. So the second product,
// whose columns come from whole panels, has a little more to do; the first one leaves the zeros out.
//
// Scores stay as the product gives them; softmax scale and log2(e) come in as `factor` in the one multiply-add before
// exp2. A row that has seen no visible key keeps largest = -inf, and 0 stands in for it: exp2(-inf - -inf) would be
// NaN. `largest` is kept multiplied, in units of log2, and rounded: where it stays as it was, the sums must be
// rescaled by 2^0 and nothing near it. What rounding leaves of factor * score is 32 where that is 1e9, and a row of
// such scores would halve 32 times with every tile until nothing is left.
//
// `largest` need not be the maximum, only near it: exponentials up to 2^8 round no worse than those up to 1. So it
// follows the maximum only where that has grown by more, which after the first tile hardly happens, and the output is
// hardly ever rescaled (FlashAttention 4's rule).
namespace harness {

template <class T, int D, int BLOCK_N>
struct WgmmaRows {
  static constexpr int kPanelRow = 64;               // elements
  static constexpr int kWidth = (D + 63) / 64 * 64;  // of a tile: whole panels
  static constexpr int kTile = BLOCK_N * kWidth;     // elements of K or V
  static constexpr unsigned kTileBytes = 2 * kTile;
  static constexpr float kSlack = 8;  // by which the exponents may exceed 0
  static_assert(D % 8 == 0 && BLOCK_N % 16 == 0, "tiles divide evenly");

  using Scores = float[BLOCK_N / 2];
  using Packed = unsigned[BLOCK_N / 16][4];

  int group, pair;        // of this lane
  int first_row;          // of this warp in the block's tile
  float out[kWidth / 2];  // sum of p * v, relative to `largest`
  float largest[2];       // about, of factor * score in rows group, group + 8; the same in the four lanes of a row
  float sum[2];           // of p over this lane's keys only

  __device__ explicit WgmmaRows(int warpgroup) {
    const int lane = threadIdx.x % 32;
    group = lane / 4;
    pair = lane % 4;
    first_row = warpgroup * 64 + threadIdx.x / 32 % 4 * 16;
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      largest[h] = -harness::kInfinity;
      sum[h] = 0;
    }
#pragma unroll
    for (int i = 0; i < kWidth / 2; ++i) out[i] = 0;
  }

  /// score = Q K^T, started. `q` is the warpgroup's first row in the first panel, `q_rows` the rows of a panel.
  __device__ static void multiply_keys(Scores& score, const T* q, int q_rows, const T* k) {
    const unsigned long long a = harness::wgmma_descriptor(q), b = harness::wgmma_descriptor(k);
#pragma unroll
    for (int s = 0; s < (D + 15) / 16; ++s) {
      const int column = s % 4 * 32;  // bytes, as all steps in shared memory
      harness::wgmma<T, BLOCK_N>(score, harness::wgmma_advance(a, s / 4 * q_rows * 128 + column),
                                 harness::wgmma_advance(b, s / 4 * BLOCK_N * 128 + column), s != 0);
    }
  }

  /// out += P V, started. A row of V is a row of B: "transposed", with 64 columns a panel.
  __device__ void multiply_values(const Packed& p, const T* v) {
    const unsigned long long b = harness::wgmma_descriptor(v, 1024, 128 * BLOCK_N);
#pragma unroll
    for (int s = 0; s < BLOCK_N / 16; ++s)
      harness::wgmma<T, kWidth, true>(out, p[s], harness::wgmma_advance(b, s * 2048), 1);
  }

  /// Keys from `end` on, and behind the diagonal of each row (key > row + diagonal), count as -inf.
  __device__ void mask(Scores& score, int first_key, int end, int diagonal) const {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      // The last visible column of this row, counted from this lane's first.
      const int last = min(end - 1, first_row + group + 8 * h + diagonal) - first_key - 2 * pair;
#pragma unroll
      for (int j = 0; j < BLOCK_N / 8; ++j)
#pragma unroll
        for (int e = 0; e < 2; ++e)
          if (8 * j + e > last) score[4 * j + 2 * h + e] = -harness::kInfinity;
    }
  }

  /// Keys before `first` and behind `last` count as -inf in one of this lane's rows: `group` + 8 * h of its warp.
  __device__ void mask_row(Scores& score, int h, int first_key, int first, int last) const {
    const int begin = first - first_key - 2 * pair, end = last - first_key - 2 * pair;
#pragma unroll
    for (int j = 0; j < BLOCK_N / 8; ++j)
#pragma unroll
      for (int e = 0; e < 2; ++e)
        if (8 * j + e < begin || 8 * j + e > end) score[4 * j + 2 * h + e] = -harness::kInfinity;
  }

  /// score becomes p = exp2(factor * score - largest); `rescale` is what sums under the old maximum are multiplied
  /// by. POLYNOMIAL: of each four groups of columns so many are exponentiated on the multiply-add units.
  template <int POLYNOMIAL = 0>
  __device__ void exponentiate(Scores& score, float (&rescale)[2], float factor) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      float here = -harness::kInfinity;
#pragma unroll
      for (int j = 0; j < BLOCK_N / 8; ++j) here = fmaxf(here, fmaxf(score[4 * j + 2 * h], score[4 * j + 2 * h + 1]));
      here = harness::warp_max<4>(here) * factor;
      if (here - largest[h] <= kSlack) here = largest[h];
      const float base = here == -harness::kInfinity ? 0.0f : here;
      rescale[h] = harness::exp2_approx(largest[h] - base);
      largest[h] = here;
      float added[2] = {};  // two chains of additions are half as long
#pragma unroll
      for (int j = 0; j < BLOCK_N / 8; ++j)
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          float& p = score[4 * j + 2 * h + e];
          const float x = fmaf(p, factor, -base);
          p = j % 4 < POLYNOMIAL ? harness::exp2_polynomial(x) : harness::exp2_approx(x);
          added[e] += p;
        }
      sum[h] = sum[h] * rescale[h] + (added[0] + added[1]);
    }
  }

  /// By all lanes of the warp.
  __device__ void rescale_output(const float (&rescale)[2]) {
    if (__all_sync(0xffffffffu, rescale[0] == 1.0f && rescale[1] == 1.0f)) return;
#pragma unroll
    for (int i = 0; i < kWidth / 2; ++i) out[i] *= rescale[i / 2 % 2];
  }

  __device__ static void pack(Packed& packed, const Scores& p) {
#pragma unroll
    for (int s = 0; s < BLOCK_N / 16; ++s)
#pragma unroll
      for (int i = 0; i < 4; ++i) packed[s][i] = harness::pack<T>(p[8 * s + 2 * i], p[8 * s + 2 * i + 1]);
  }

  /// One more logit of row `group` + 8 * h of the warp that brings no value, in units of log2: behind the last key.
  __device__ void add_sink(int h, float logit) {
    if (pair == 0) sum[h] += harness::exp2_approx(logit - largest[h]);  // one of the four lanes of a row
  }

  /// Divides by the sums, and writes the log-sum-exp of rows below `valid` if `lse` is not null.
  __device__ void finish(float* lse, int valid) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const float total = harness::warp_sum<4>(sum[h]);
      const float inverse = total > 0 ? 1.0f / total : 0.0f;  // a row that sees no key is 0
#pragma unroll
      for (int j = 0; j < D / 8; ++j)
#pragma unroll
        for (int e = 0; e < 2; ++e) out[4 * j + 2 * h + e] *= inverse;
      const int row = first_row + group + 8 * h;
      if (lse && pair == 0 && row < valid)
        lse[row] = total > 0 ? largest[h] * 0.6931471805599453f + logf(total) : -harness::kInfinity;
    }
  }

  /// Rounds the output and stores it straight from registers: `o` is the block's first row, `valid` its rows. The four
  /// lanes of a row hold words of four groups of eight columns; each of them gathers one group, 16 bytes, so that a
  /// store covers 64 bytes of each of eight rows. By all lanes of the warp.
  __device__ void store_output(T* o, int valid) const {
    store_rows(valid, [o](int row) { return o + static_cast<long long>(row) * D; });
  }

  /// The same for rows that lie anywhere: row r of the tile begins at `start_of(r)`.
  template <class Start>
  __device__ void store_rows(int valid, Start start_of) const {
    constexpr int kGroups = D / 8, kGathered = kGroups / 4 * 4;
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int row = first_row + group + 8 * h;
      T* const start = start_of(row);
#pragma unroll
      for (int j = 0; j < kGathered; j += 4) {
        unsigned words[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) words[i] = packed_output(j + i, h);
        harness::transpose_quad(words);
        if (row < valid) reinterpret_cast<uint4*>(start)[j + pair] = make_uint4(words[0], words[1], words[2], words[3]);
      }
#pragma unroll
      for (int j = kGathered; j < kGroups; ++j)
        if (row < valid) reinterpret_cast<unsigned*>(start)[4 * j + pair] = packed_output(j, h);
    }
  }

  /// This lane's pair of the eight columns from 8 * j on, in row `group` + 8 * h, rounded.
  __device__ unsigned packed_output(int j, int h) const {
    return harness::pack<T>(out[4 * j + 2 * h], out[4 * j + 2 * h + 1]);
  }

  /// Rounds the output into panels as TMA expects them: `tile` is this warpgroup's first row of the first panel. The 8
  /// rows x 4 lanes that store at once hit 32 different banks, because the swizzle moves each row's chunk elsewhere.
  __device__ void stage_output(T* tile, int rows_of_panel) const {
#pragma unroll
    for (int j = 0; j < D / 8; ++j)
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const int row = first_row % 64 + group + 8 * h;
        char* panel = reinterpret_cast<char*>(tile + j / 8 * rows_of_panel * kPanelRow);
        *reinterpret_cast<unsigned*>(panel + row * 128 + ((j % 8 ^ row % 8) * 16) + 4 * pair) = packed_output(j, h);
      }
  }
};

// One thread starts the copy of `rows` x D elements: panel after panel. Rows are `row`, `row` + 1... of head (h, b).
template <int D>
__device__ inline void load_panels(void* tile, const harness::TensorMap& map, harness::Mbarrier* barrier, int rows,
                                   int row, int h, int b) {
#pragma unroll
  for (int panel = 0; panel < (D + 63) / 64; ++panel)
    harness::tma_load(static_cast<char*>(tile) + panel * rows * 128, map, barrier, panel * 64, row, h, b);
}

// One thread stores as many rows of D elements from panels of `panel_rows` rows, from `tile` on, and waits until they
// have been read.
template <class T, int D>
__device__ inline void store_panels(const harness::TensorMap& map, const T* tile, int panel_rows, int row, int h,
                                    int b) {
#pragma unroll
  for (int panel = 0; panel < (D + 63) / 64; ++panel)
    harness::tma_store(map, tile + panel * panel_rows * 64, panel * 64, row, h, b);
  harness::bulk_commit();
  harness::bulk_wait_read<0>();
}

// What a block works on.
struct AttentionTile {
  int first_query, queries, head, kv_head, batch;
  int diagonal;  // query row r of the tile sees key j only if j <= r + diagonal
  int end;       // no row sees a key from here on
  long long first_of_out;

  __device__ AttentionTile(int block, int block_m, int head, int batch, int Hq, int Hkv, int Sq, int Sk, bool causal)
      : head(head), batch(batch) {
    first_query = block * block_m;
    queries = min(block_m, Sq - first_query);
    kv_head = head / (Hq / Hkv);
    diagonal = causal ? first_query + Sk - Sq : Sk;
    end = min(Sk, max(0, diagonal + queries));
    first_of_out = (static_cast<long long>(batch) * Hq + head) * Sq + first_query;
  }

  /// From which key on the 64 rows of a warpgroup see nothing; 0 where it has no row.
  __device__ int end_of(int warpgroup) const {
    return 64 * warpgroup < queries ? max(0, min(end, 64 * warpgroup + 64 + diagonal)) : 0;
  }

  /// The key that the first tile of keys begins with.
  __device__ static constexpr int first_of_keys() { return 0; }

  /// One thread starts the copy of BLOCK_N keys, or their values, from `first_key` on.
  template <int D, int BLOCK_N>
  __device__ void load(void* to, const harness::TensorMap& map, harness::Mbarrier* barrier, int first_key) const {
    load_panels<D>(to, map, barrier, BLOCK_N, first_key, kv_head, batch);
  }

  /// Scores, as the product gives them, of the keys from `first_key` on: -inf where a row does not see the key.
  template <class T, int D, int BLOCK_N>
  __device__ void shape(const WgmmaRows<T, D, BLOCK_N>& rows, float (&score)[BLOCK_N / 2], int first_key) const {
    if (first_key + BLOCK_N > end || first_key + BLOCK_N - 1 > rows.first_row + diagonal)
      rows.mask(score, first_key, end, diagonal);
  }
};

}  // namespace harness
