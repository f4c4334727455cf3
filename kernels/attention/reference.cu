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
// kRows rows of one head, and what one of its threads converts is read by all.
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

// A block of 128 threads, tiles of 64 rows by 64 keys or columns. Thread (x, y) of 8 by 16 has 4 rows and 8 keys, or
// columns, in pairs that one load of 16 bytes brings: 32 sums, to which both products below add a slice of kDeep terms
// at a time. Two elements more than 64 keep the pairs aligned and rows in different banks.
constexpr int kThreads = 128, kRows = 64, kWide = 64, kDeep = 8, kOfRows = 4, kOfWide = 8;

__device__ constexpr int of_row(int y, int i) {
  return 2 * y + 32 * (i / 2) + i % 2;
}
__device__ constexpr int of_wide(int x, int j) {
  return 2 * x + 16 * (j / 2) + j % 2;
}

struct alignas(16) Tiles {
  double left[kDeep][kRows + 2], right[kDeep][kWide + 2];  // a slice of both factors
  double scores[kRows][kWide + 2];                         // of a tile; then exp(score - largest)
  double largest[kRows], sum[kRows], scale[kRows];
};

struct Sums {
  double at[kOfRows][kOfWide] = {};
};

// A thread's share of a slice. It is fetched while the slice before is multiplied: memory is far away.
constexpr int kShare = kRows * kDeep / kThreads;

/// Of columns `first` and on of `count` rows, D long; zeros beyond them.
template <class T>
struct Columns {
  T element[kShare];
  bool is_there[kShare];

  __device__ void fetch(const T* from, long long count, long long first, long long D) {
#pragma unroll
    for (int n = 0; n < kShare; ++n) {
      const int at = threadIdx.x + n * kThreads, r = at / kDeep, d = at % kDeep;
      is_there[n] = r < count && first + d < D;
      if (is_there[n]) element[n] = from[r * D + first + d];
    }
  }
  __device__ void put(double (&tile)[kDeep][kRows + 2]) const {  // tile[d][r]
#pragma unroll
    for (int n = 0; n < kShare; ++n) {
      const int at = threadIdx.x + n * kThreads;
      tile[at % kDeep][at / kDeep] = is_there[n] ? harness::to_float(element[n]) : 0.0;
    }
  }
};

/// Of rows `first` and on of a tile of keys; zeros from row `count` and column `wide` on.
template <class T>
struct Rows {
  T element[kShare];
  bool is_there[kShare];

  __device__ void fetch(const T* from, long long count, long long wide, long long D) {
#pragma unroll
    for (int n = 0; n < kShare; ++n) {
      const int at = threadIdx.x + n * kThreads, c = at / kWide, j = at % kWide;
      is_there[n] = c < count && j < wide;
      if (is_there[n]) element[n] = from[c * D + j];
    }
  }
  __device__ void put(double (&tile)[kDeep][kWide + 2]) const {
#pragma unroll
    for (int n = 0; n < kShare; ++n) {
      const int at = threadIdx.x + n * kThreads;
      tile[at / kWide][at % kWide] = is_there[n] ? harness::to_float(element[n]) : 0.0;
    }
  }
};

/// scores[r][c] = scale * <query r, key c>; -inf where row r does not see key c. Ends with a barrier.
template <class T, bool CAUSAL>
__device__ void score_tile(Tiles& tiles, const T* queries, const T* keys, long long row, long long key, double scale,
                           const Sizes& w) {
  const int x = threadIdx.x % 8, y = threadIdx.x / 8;
  Sums sums;
  Columns<T> left, right;
  const auto fetch = [&](long long first) {
    left.fetch(queries + row * w.D, w.Sq - row, first, w.D);
    right.fetch(keys + key * w.D, w.Sk - key, first, w.D);
  };
  fetch(0);
  for (long long first = 0; first < w.D; first += kDeep) {
    __syncthreads();
    left.put(tiles.left);
    right.put(tiles.right);
    __syncthreads();
    fetch(first + kDeep);
#pragma unroll
    for (int d = 0; d < kDeep; ++d)
#pragma unroll
      for (int i = 0; i < kOfRows; ++i)
#pragma unroll
        for (int j = 0; j < kOfWide; ++j) sums.at[i][j] += tiles.left[d][of_row(y, i)] * tiles.right[d][of_wide(x, j)];
  }
#pragma unroll
  for (int i = 0; i < kOfRows; ++i)
#pragma unroll
    for (int j = 0; j < kOfWide; ++j) {
      const int r = of_row(y, i), c = of_wide(x, j);
      const bool sees = row + r < w.Sq && key + c < visible_keys<CAUSAL>(w, row + r);
      tiles.scores[r][c] = sees ? scale * sums.at[i][j] : -harness::kInfinity;
    }
  __syncthreads();
}

/// o[r] = o[r] * scale[r] + sum_c scores[r][c] * value c, of a tile of keys.
template <class T>
__device__ void add_values(Tiles& tiles, const T* values, double* o, long long row, long long key, const Sizes& w) {
  const int x = threadIdx.x % 8, y = threadIdx.x / 8;
  for (long long column = 0; column < w.D; column += kWide) {
    Sums sums;
    Rows<T> right;
    const auto fetch = [&](int first) {
      right.fetch(values + (key + first) * w.D + column, w.Sk - key - first, w.D - column, w.D);
    };
    fetch(0);
    for (int first = 0; first < kWide; first += kDeep) {
      __syncthreads();
      right.put(tiles.right);
      __syncthreads();
      if (first + kDeep < kWide) fetch(first + kDeep);
#pragma unroll
      for (int c = 0; c < kDeep; ++c)
#pragma unroll
        for (int i = 0; i < kOfRows; ++i)
#pragma unroll
          for (int j = 0; j < kOfWide; ++j)
            sums.at[i][j] += tiles.scores[of_row(y, i)][first + c] * tiles.right[c][of_wide(x, j)];
    }
#pragma unroll
    for (int i = 0; i < kOfRows; ++i)
#pragma unroll
      for (int j = 0; j < kOfWide; ++j) {
        const long long r = of_row(y, i), d = column + of_wide(x, j);
        if (row + r >= w.Sq || d >= w.D) continue;
        double& out = o[(row + r) * w.D + d];
        out = out * tiles.scale[r] + sums.at[i][j];
      }
  }
}

/// kRows rows a block, over the keys once: where a tile has a larger score than any before it, what was summed so far
/// is scaled to it. The sums of values gather in `o` itself.
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
  const int own = threadIdx.x;  // of the first kRows threads: a row for each

  if (own < kRows) {
    tiles.largest[own] = -harness::kInfinity;
    tiles.sum[own] = 0;
  }
  for (long long at = own; at < (last - row + 1) * D; at += blockDim.x) out[row * D + at] = 0;
  const long long visible = visible_keys<CAUSAL>(w, last);  // the last row sees most
  for (long long key = 0; key < visible; key += kWide) {
    score_tile<T, CAUSAL>(tiles, queries, keys, row, key, scale, w);
    if (own < kRows) {
      double largest = tiles.largest[own];
      for (int c = 0; c < kWide; ++c) largest = fmax(largest, tiles.scores[own][c]);
      tiles.scale[own] = largest > tiles.largest[own] ? exp(tiles.largest[own] - largest) : 1.0;  // exp(-inf) = 0
      tiles.largest[own] = largest;
    }
    __syncthreads();
    for (int at = own; at < kRows * kWide; at += blockDim.x) {
      const int r = at / kWide, c = at % kWide;
      const double s = tiles.scores[r][c];
      tiles.scores[r][c] = s > -harness::kInfinity ? exp(s - tiles.largest[r]) : 0.0;
    }
    __syncthreads();
    if (own < kRows) {
      double sum = 0;
      for (int c = 0; c < kWide; ++c) sum += tiles.scores[own][c];
      tiles.sum[own] = tiles.sum[own] * tiles.scale[own] + sum;
    }
    add_values(tiles, values, out, row, key, w);
  }
  __syncthreads();
  for (long long at = own; at < (last - row + 1) * D; at += blockDim.x) {
    const double sum = tiles.sum[at / D];
    out[row * D + at] = sum > 0 ? out[row * D + at] / sum : 0.0;
  }
  if (lse && own < kRows && row + own < w.Sq)
    lse[head * w.Sq + row + own] = tiles.sum[own] > 0 ? tiles.largest[own] + log(tiles.sum[own]) : -harness::kInfinity;
}

// Three blocks a multiprocessor hide more of the memory's distance than registers without bounds gain.
template <class T, bool CAUSAL>
__global__ void __launch_bounds__(kThreads, 3)
    reference(const T* q, const T* k, const T* v, double* o, double* lse, float scale, long long B, long long Hq,
              long long Hkv, long long Sq, long long Sk, long long D) {
  const Sizes sizes{B, Hq, Hkv, Sq, Sk, D};
  if (B * Hq * Sq < MANY_ROWS) row_alone<T, CAUSAL>(q, k, v, o, lse, scale, sizes);
  else rows_together<T, CAUSAL>(q, k, v, o, lse, scale, sizes);
}
