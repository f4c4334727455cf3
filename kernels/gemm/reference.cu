#include <harness/convert.cuh>

// d = act(a b + bias) * other + residual in double, by its definition; nothing is rounded.
//
// A block of 128 threads takes 64 x 64 elements of d. Slices of both factors, kDeep of K at a time, are converted to
// double once for the whole tile; thread (x, y) of 8 x 16 adds up 4 rows by 8 columns. Sums are added in the order of
// k.

namespace {

constexpr int kThreads = 128, kTile = 64, kDeep = 16, kOfRows = 4, kOfColumns = 8;
constexpr int kShare = kTile * kDeep / kThreads;

struct Sizes {
  long long M, N, K, lda, ldb, ldd, linear, gelu, silu;
};

__device__ double activate(double x, const Sizes& w) {
  if (w.gelu) return 0.5 * x * (1 + tanh(0.79788456080286536 * (x + 0.044715 * x * x * x)));
  if (w.silu) return x / (1 + exp(-x));
  return x;
}

/// Rows `first` and on of a matrix [rows, K] whose elements lie `row_stride` and `k_stride` apart: tile[k][row].
template <class T>
__device__ void fetch(double (&tile)[kDeep][kTile + 1], const T* matrix, long long first, long long rows, long long k,
                      long long K, long long row_stride, long long k_stride) {
#pragma unroll
  for (int n = 0; n < kShare; ++n) {
    // Neighbouring threads read neighbouring elements, whichever way the matrix lies.
    const int at = threadIdx.x + n * kThreads;
    const int row = k_stride == 1 ? at / kDeep : at % kTile, deep = k_stride == 1 ? at % kDeep : at / kTile;
    const bool is_there = first + row < rows && k + deep < K;
    tile[deep][row] = is_there ? harness::to_float(matrix[(first + row) * row_stride + (k + deep) * k_stride]) : 0.0;
  }
}

}  // namespace

template <class T>
__global__ void reference(const T* a, const T* b, const T* bias, const T* other, const T* residual, double* d,
                          long long M, long long N, long long K, long long lda, long long ldb, long long ldd,
                          long long linear, long long gelu, long long silu) {
  __shared__ double left[kDeep][kTile + 1], right[kDeep][kTile + 1];
  const Sizes w{M, N, K, lda, ldb, ldd, linear, gelu, silu};
  const long long tiles_n = (N + kTile - 1) / kTile, block = blockIdx.x;
  const long long first_row = block / tiles_n * kTile, first_column = block % tiles_n * kTile;
  if (first_row >= M) return;
  const int x = threadIdx.x % 8, y = threadIdx.x / 8;
  double sum[kOfRows][kOfColumns] = {};
  for (long long k = 0; k < K; k += kDeep) {
    fetch(left, a, first_row, M, k, K, lda, 1);
    fetch(right, b, first_column, N, k, K, linear ? ldb : 1, linear ? 1 : ldb);
    __syncthreads();
#pragma unroll
    for (int deep = 0; deep < kDeep; ++deep)
#pragma unroll
      for (int i = 0; i < kOfRows; ++i)
#pragma unroll
        for (int j = 0; j < kOfColumns; ++j) sum[i][j] += left[deep][y + 16 * i] * right[deep][x + 8 * j];
    __syncthreads();
  }
  for (int i = 0; i < kOfRows; ++i)
    for (int j = 0; j < kOfColumns; ++j) {
      const long long row = first_row + y + 16 * i, column = first_column + x + 8 * j;
      if (row >= M || column >= N) continue;
      double value = activate(sum[i][j] + (bias ? harness::to_float(bias[column]) : 0.0), w);
      if (other) value *= harness::to_float(other[row * ldd + column]);
      if (residual) value += harness::to_float(residual[row * ldd + column]);
      d[row * ldd + column] = value;
    }
}
