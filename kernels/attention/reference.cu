#include <harness/convert.cuh>
#include <harness/infinity.cuh>

// Attention in double, by its definition.
//   s_j = scale * <q_i, k_j>,  o_i = sum_j exp(s_j - max) v_j / sum_j exp(s_j - max),  lse_i = max + log(sum)
// over the visible keys j: all, or with CAUSAL those with j <= i + Sk - Sq (the last query sees the last key).
// Query head h reads key and value head h / (Hq / Hkv). A row that sees no key has o = 0 and lse = -inf.
// Nothing is rounded but the outputs. lse is null where the workload does not ask for it. D is at most 256.
//
// Two ways to the same numbers. With few rows each has a thread of its own, so that there are threads enough. With
// many, the conversion of every key to double for every row would cost four times what the products do: a block takes
// kRows rows of one head, and what one of its threads converts is read by all. Both go over the keys twice, for the
// largest score and then for the sums.
#ifndef MANY_ROWS  // kernel.lua counts the threads by the same number
#define MANY_ROWS 65536
#endif

struct Sizes {
  long long B, Hq, Hkv, Sq, Sk, D;
};

template <bool CAUSAL>
__device__ long long visible_keys(const Sizes& w, long long i) {
  return CAUSAL ? min(w.Sk, max(0LL, i + w.Sk - w.Sq + 1)) : w.Sk;
}

// Keys are taken kKeys at a time, so that each element of the query and of the sums is loaded once for all of them: the
// two are too long for registers. Sums are added in the order of the keys, and of the columns, as the definition says.
constexpr int kKeys = 16;

/// Scores of `count` keys from `keys` on, at most kKeys; the others are not to be used.
template <class T>
__device__ void score(double (&s)[kKeys], const double* query, const T* keys, long long count, double scale,
                      long long D) {
  const T* row[kKeys];
#pragma unroll
  for (int k = 0; k < kKeys; ++k) {
    row[k] = keys + min(static_cast<long long>(k), count - 1) * D;
    s[k] = 0;
  }
  for (long long d = 0; d < D; ++d) {
    const double q = query[d];
#pragma unroll
    for (int k = 0; k < kKeys; ++k) s[k] += q * harness::to_float(row[k][d]);
  }
#pragma unroll
  for (int k = 0; k < kKeys; ++k) s[k] *= scale;
}

/// One thread a row.
template <class T, bool CAUSAL>
__device__ void row_alone(const T* q, const T* k, const T* v, double* o, double* lse, double scale, const Sizes& w) {
  const long long row = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= w.B * w.Hq * w.Sq) return;
  const long long i = row % w.Sq, h = row / w.Sq % w.Hq, b = row / w.Sq / w.Hq, D = w.D;
  const long long kv_head = b * w.Hkv + h / (w.Hq / w.Hkv);
  const long long visible = visible_keys<CAUSAL>(w, i);
  const T* keys = k + kv_head * w.Sk * D;
  const T* values = v + kv_head * w.Sk * D;

  double query[256], sum_of_values[256], s[kKeys];
  for (long long d = 0; d < D; ++d) query[d] = harness::to_float(q[row * D + d]);
  for (long long d = 0; d < D; ++d) sum_of_values[d] = 0;

  double largest = -harness::kInfinity;
  for (long long j = 0; j < visible; j += kKeys) {
    const long long count = min(static_cast<long long>(kKeys), visible - j);
    score(s, query, keys + j * D, count, scale, D);
#pragma unroll
    for (int t = 0; t < kKeys; ++t)
      if (t < count) largest = fmax(largest, s[t]);
  }
  double sum = 0;
  for (long long j = 0; j < visible; j += kKeys) {
    const long long count = min(static_cast<long long>(kKeys), visible - j);
    score(s, query, keys + j * D, count, scale, D);
#pragma unroll
    for (int t = 0; t < kKeys; ++t) {
      s[t] = t < count ? exp(s[t] - largest) : 0.0;
      sum += s[t];
    }
    const T* first = values + j * D;
    for (long long d = 0; d < D; ++d) {
      double total = sum_of_values[d];
#pragma unroll
      for (int t = 0; t < kKeys; ++t)
        if (t < count) total += s[t] * harness::to_float(first[t * D + d]);
      sum_of_values[d] = total;
    }
  }
  for (long long d = 0; d < D; ++d) o[row * D + d] = sum > 0 ? sum_of_values[d] / sum : 0.0;
  if (lse) lse[row] = sum > 0 ? largest + log(sum) : -harness::kInfinity;
}

// A block of 128 threads and its tiles: 64 rows, 32 keys, and 32 of the D columns at a time. Thread (x, y) of 8 by 16
// has the rows y + 16 i and the keys, or columns, x + 8 j: sixteen sums. A column more than 32 keeps rows in different
// banks.
constexpr int kRows = 64, kTile = 32, kPadded = kTile + 1, kEach = 4;

struct Tiles {
  double queries[kRows][kPadded], keys_or_values[kTile][kPadded], scores[kRows][kPadded];
  double largest[kRows], sum[kRows];
};

/// A tile of `count` rows of `from`, each D long, from column `d` on; zeros beyond either end.
template <class T, int ROWS>
__device__ void load_tile(double (&tile)[ROWS][kPadded], const T* from, long long count, long long d, long long D) {
  for (int at = threadIdx.x; at < ROWS * kTile; at += blockDim.x) {
    const int row = at / kTile, column = at % kTile;
    tile[row][column] = row < count && d + column < D ? harness::to_float(from[row * D + d + column]) : 0.0;
  }
}

/// scores[r][j] = scale * <query r, key j>; -inf where row r does not see key j. Ends with a barrier.
template <class T, bool CAUSAL>
__device__ void score_tile(Tiles& tiles, const T* queries, const T* keys, long long row, long long key, double scale,
                           const Sizes& w) {
  const int x = threadIdx.x % 8, y = threadIdx.x / 8;
  double sums[kEach][kEach] = {};
  for (long long d = 0; d < w.D; d += kTile) {
    __syncthreads();
    load_tile(tiles.queries, queries + row * w.D, w.Sq - row, d, w.D);
    load_tile(tiles.keys_or_values, keys + key * w.D, w.Sk - key, d, w.D);
    __syncthreads();
    for (int column = 0; column < kTile; ++column) {
#pragma unroll
      for (int i = 0; i < kEach; ++i)
#pragma unroll
        for (int j = 0; j < kEach; ++j)
          sums[i][j] += tiles.queries[y + 16 * i][column] * tiles.keys_or_values[x + 8 * j][column];
    }
  }
  for (int i = 0; i < kEach; ++i)
    for (int j = 0; j < kEach; ++j) {
      const int r = y + 16 * i, c = x + 8 * j;
      const bool sees = row + r < w.Sq && key + c < visible_keys<CAUSAL>(w, row + r);
      tiles.scores[r][c] = sees ? scale * sums[i][j] : -harness::kInfinity;
    }
  __syncthreads();
}

/// o[r] += sum_j scores[r][j] * value j, of a tile of keys.
template <class T>
__device__ void add_values(Tiles& tiles, const T* values, double* o, long long row, long long key, const Sizes& w) {
  const int x = threadIdx.x % 8, y = threadIdx.x / 8;
  for (long long d = 0; d < w.D; d += kTile) {
    __syncthreads();
    load_tile(tiles.keys_or_values, values + key * w.D, w.Sk - key, d, w.D);
    __syncthreads();
    double sums[kEach][kEach] = {};
    for (int c = 0; c < kTile; ++c) {
#pragma unroll
      for (int i = 0; i < kEach; ++i)
#pragma unroll
        for (int j = 0; j < kEach; ++j)
          sums[i][j] += tiles.scores[y + 16 * i][c] * tiles.keys_or_values[c][x + 8 * j];
    }
    for (int i = 0; i < kEach; ++i)
      for (int j = 0; j < kEach; ++j)
        if (row + y + 16 * i < w.Sq && d + x + 8 * j < w.D) o[(row + y + 16 * i) * w.D + d + x + 8 * j] += sums[i][j];
  }
}

/// kRows rows a block. The sums of values gather in `o` itself.
template <class T, bool CAUSAL>
__device__ void rows_together(const T* q, const T* k, const T* v, double* o, double* lse, double scale,
                              const Sizes& w) {
  __shared__ Tiles tiles;
  const long long of_a_head = (w.Sq + kRows - 1) / kRows, head = blockIdx.x / of_a_head;
  if (head >= w.B * w.Hq) return;
  const long long row = blockIdx.x % of_a_head * kRows, last = min(row + kRows, w.Sq) - 1, D = w.D;
  const long long kv_head = head / w.Hq * w.Hkv + head % w.Hq / (w.Hq / w.Hkv);
  const T* queries = q + head * w.Sq * D;
  const T* keys = k + kv_head * w.Sk * D;
  const T* values = v + kv_head * w.Sk * D;
  double* out = o + head * w.Sq * D;
  const long long visible = visible_keys<CAUSAL>(w, last);  // the last row sees most
  const int own = threadIdx.x;                              // of the first kRows threads: a row for each

  if (own < kRows) {
    tiles.largest[own] = -harness::kInfinity;
    tiles.sum[own] = 0;
  }
  for (long long at = own; at < (last - row + 1) * D; at += blockDim.x) out[row * D + at] = 0;
  for (long long key = 0; key < visible; key += kTile) {
    score_tile<T, CAUSAL>(tiles, queries, keys, row, key, scale, w);
    if (own < kRows)
      for (int c = 0; c < kTile; ++c) tiles.largest[own] = fmax(tiles.largest[own], tiles.scores[own][c]);
  }
  for (long long key = 0; key < visible; key += kTile) {
    score_tile<T, CAUSAL>(tiles, queries, keys, row, key, scale, w);
    for (int at = own; at < kRows * kTile; at += blockDim.x) {
      const int r = at / kTile, c = at % kTile;
      const double s = tiles.scores[r][c];
      tiles.scores[r][c] = s > -harness::kInfinity ? exp(s - tiles.largest[r]) : 0.0;
    }
    __syncthreads();
    if (own < kRows)
      for (int c = 0; c < kTile; ++c) tiles.sum[own] += tiles.scores[own][c];
    add_values(tiles, values, out, row, key, w);
  }
  __syncthreads();
  for (long long at = own; at < (last - row + 1) * D; at += blockDim.x) {
    const double sum = tiles.sum[at / D];
    out[row * D + at] = sum > 0 ? out[row * D + at] / sum : 0.0;
  }
  if (lse && own < kRows && row + own < w.Sq)
    lse[head * w.Sq + row + own] =
        tiles.sum[own] > 0 ? tiles.largest[own] + log(tiles.sum[own]) : -harness::kInfinity;
}

template <class T, bool CAUSAL>
__global__ void reference(const T* q, const T* k, const T* v, double* o, double* lse, float scale, long long B,
                          long long Hq, long long Hkv, long long Sq, long long Sk, long long D) {
  const Sizes sizes{B, Hq, Hkv, Sq, Sk, D};
  if (B * Hq * Sq < MANY_ROWS) row_alone<T, CAUSAL>(q, k, v, o, lse, scale, sizes);
  else rows_together<T, CAUSAL>(q, k, v, o, lse, scale, sizes);
}
