#include "tiles.cuh"

// The gradients in double, by their definition (kernel.lua). Inputs are taken as they are stored; nothing is rounded but
// the outputs. Where there are few pairs a thread has a row of d_q, or of d_k and d_v (so that what it costs follows the
// pairs); else a block takes 64 rows: the first blocks rows of d_q, walking over the keys, the others rows of d_k and
// d_v, walking over the queries of all heads that share them. Sums gather in the outputs, in the order of the tiles.

namespace {

struct Shared {
  Slices<double> slices;
  double factor[kTile][kPitch];  // P or dS of a tile: [contracted][row of the result]
  double delta[kTile];
};

/// What belongs to a query head of all batches, and to its keys.
template <class T>
struct Head {
  const T *q, *k, *v, *o, *d_o;
  const float* lse;
};

/// P and dS of the queries from `row` and the keys from `key` on.
template <class T, int D>
__device__ void gradients(Sums<double>& p, Sums<double>& ds, Shared& shared, const Head<T>& head, const Place& place,
                          long long row, long long key, double scale) {
  // delta: two threads a row
  double delta = 0;
  const int own = threadIdx.x / 2;
  if (row + own < place.Sq)
    for (int d = threadIdx.x % 2; d < D; d += 2) {
      const long long at = (row + own) * D + d;
      delta += static_cast<double>(harness::to_float(head.o[at])) * harness::to_float(head.d_o[at]);
    }
  delta += __shfl_xor_sync(0xffffffffu, delta, 1);
  __syncthreads();
  if (threadIdx.x % 2 == 0) shared.delta[own] = delta;
  p = {};
  ds = {};
  multiply_rows<D>(p, shared.slices, head.q + row * D, place.Sq - row, head.k + key * D, place.Sk - key);
  multiply_rows<D>(ds, shared.slices, head.d_o + row * D, place.Sq - row, head.v + key * D, place.Sk - key);
#pragma unroll
  for (int i = 0; i < kOfRows; ++i)
#pragma unroll
    for (int j = 0; j < kOfColumns; ++j) {
      const bool sees = place.sees(row + row_of(i), key + column_of(j));
      p.at[i][j] = sees ? exp(scale * p.at[i][j] - head.lse[row + row_of(i)]) : 0.0;
      ds.at[i][j] = sees ? p.at[i][j] * (ds.at[i][j] - shared.delta[row_of(i)]) : 0.0;
    }
}

/// out[r] += scale * sum over t of factor[t][r] x[t]: rows of D elements, `out_rows` and `x_rows` of which are there.
template <int D, class T>
__device__ void add(double* out, long long out_rows, Shared& shared, const T* x, long long x_rows, double scale) {
  for (int column = 0; column < D; column += kTile) {
    Sums<double> sums;
    multiply_columns<D>(sums, shared.slices, shared.factor, x + column, x_rows);
#pragma unroll
    for (int i = 0; i < kOfRows; ++i)
#pragma unroll
      for (int j = 0; j < kOfColumns; ++j)
        if (row_of(i) < out_rows) out[row_of(i) * D + column + column_of(j)] += scale * sums.at[i][j];
  }
  __syncthreads();
}

template <int D, class T>
__device__ void add_row(double* sum, double factor, const T* row) {
  for (int d = 0; d < D; ++d) sum[d] += factor * harness::to_float(row[d]);
}

/// P and dS of one pair.
template <class T, int D>
__device__ void gradients(double& p, double& ds, const Head<T>& head, long long i, long long j, double delta,
                          double scale) {
  p = exp(scale * dot<double, D>(head.q + i * D, head.k + j * D) - head.lse[i]);
  ds = p * (dot<double, D>(head.d_o + i * D, head.v + j * D) - delta);
}

/// Row i of d_q alone.
template <class T, int D>
__device__ void query_alone(double* d_q, const Head<T>& head, const Place& place, long long i, double scale) {
  double sum[D], p, ds;
  for (int d = 0; d < D; ++d) sum[d] = 0;
  const double delta = dot<double, D>(head.d_o + i * D, head.o + i * D);
  for (long long j = 0; j < place.visible(i); ++j) {
    gradients<T, D>(p, ds, head, i, j, delta, scale);
    add_row<D>(sum, ds, head.k + j * D);
  }
  for (int d = 0; d < D; ++d) d_q[d] = scale * sum[d];
}

/// What row j of d_k and d_v gets from one head.
template <class T, int D>
__device__ void key_alone(double (&sum_k)[D], double (&sum_v)[D], const Head<T>& head, const Place& place, long long j,
                          double scale) {
  double p, ds;
  for (long long i = place.first_that_sees(j); i < place.Sq; ++i) {
    gradients<T, D>(p, ds, head, i, j, dot<double, D>(head.d_o + i * D, head.o + i * D), scale);
    add_row<D>(sum_v, p, head.d_o + i * D);
    add_row<D>(sum_k, ds * scale, head.q + i * D);
  }
}

template <int D>
__device__ void clear(double* out, long long rows) {
  for (long long at = threadIdx.x; at < min(rows, static_cast<long long>(kTile)) * D; at += kThreads) out[at] = 0;
}

}  // namespace

template <class T, int D, bool CAUSAL>
__global__ void __launch_bounds__(kThreads, 2)
    reference(const T* q, const T* k, const T* v, const float* lse, const T* o, const T* d_o, double* d_q, double* d_k,
              double* d_v, float scale, long long B, long long Hq, long long Hkv, long long Sq, long long Sk) {
  __shared__ Shared shared;
  const Place place{Sq, Sk, CAUSAL};
  const long long query_tiles = (Sq + kTile - 1) / kTile, key_tiles = (Sk + kTile - 1) / kTile, group = Hq / Hkv;
  const auto head_of = [&](long long h) {  // of all batches
    const long long kv = h / Hq * Hkv + h % Hq / group;
    return Head<T>{q + h * Sq * D, k + kv * Sk * D, v + kv * Sk * D, o + h * Sq * D, d_o + h * Sq * D, lse + h * Sq};
  };

  if (are_few(B, Hq, Sq, Sk)) {
    const long long row = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x, key = row - B * Hq * Sq;
    if (key < 0) return query_alone<T, D>(d_q + row * D, head_of(row / Sq), place, row % Sq, scale);
    if (key >= B * Hkv * Sk) return;
    double sum_k[D], sum_v[D];
    for (int d = 0; d < D; ++d) sum_k[d] = sum_v[d] = 0;
    const long long kv = key / Sk, first = kv / Hkv * Hq + kv % Hkv * group;
    for (long long h = first; h < first + group; ++h)
      key_alone<T, D>(sum_k, sum_v, head_of(h), place, key % Sk, scale);
    for (int d = 0; d < D; ++d) {
      d_k[key * D + d] = sum_k[d];
      d_v[key * D + d] = sum_v[d];
    }
    return;
  }

  Sums<double> p, ds;
  if (blockIdx.x < B * Hq * query_tiles) {
    const long long h = blockIdx.x / query_tiles, row = blockIdx.x % query_tiles * kTile;
    const Head<T> head = head_of(h);
    double* const out = d_q + (h * Sq + row) * D;
    clear<D>(out, Sq - row);
    const long long end = place.visible(min(row + kTile, Sq) - 1);
    for (long long key = 0; key < end; key += kTile) {
      gradients<T, D>(p, ds, shared, head, place, row, key, scale);
#pragma unroll
      for (int i = 0; i < kOfRows; ++i)
#pragma unroll
        for (int j = 0; j < kOfColumns; ++j) shared.factor[column_of(j)][row_of(i)] = ds.at[i][j];
      add<D>(out, Sq - row, shared, head.k + key * D, Sk - key, scale);
    }
    return;
  }

  const long long block = blockIdx.x - B * Hq * query_tiles, kv = block / key_tiles, key = block % key_tiles * kTile;
  if (kv >= B * Hkv) return;
  double* const out_k = d_k + (kv * Sk + key) * D;
  double* const out_v = d_v + (kv * Sk + key) * D;
  clear<D>(out_k, Sk - key);
  clear<D>(out_v, Sk - key);
  for (long long h = kv / Hkv * Hq + kv % Hkv * group, last = h + group; h < last; ++h) {
    const Head<T> head = head_of(h);
    for (long long row = place.first_that_sees(key) / kTile * kTile; row < Sq; row += kTile) {
      gradients<T, D>(p, ds, shared, head, place, row, key, scale);
#pragma unroll
      for (int i = 0; i < kOfRows; ++i)
#pragma unroll
        for (int j = 0; j < kOfColumns; ++j) shared.factor[row_of(i)][column_of(j)] = p.at[i][j];
      add<D>(out_v, Sk - key, shared, head.d_o + row * D, Sq - row, 1.0);
#pragma unroll
      for (int i = 0; i < kOfRows; ++i)
#pragma unroll
        for (int j = 0; j < kOfColumns; ++j) shared.factor[row_of(i)][column_of(j)] = ds.at[i][j];
      add<D>(out_k, Sk - key, shared, head.q + row * D, Sq - row, scale);
    }
  }
}
