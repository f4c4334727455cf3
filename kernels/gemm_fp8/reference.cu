#include <cuda_fp8.h>

// d[m, n] = sum over k of a[m, k] a_scale[k / 128, m] b[n, k] b_scale[n / 128, k / 128] in double; nothing is rounded.
//
// A block of 128 threads takes 64 x 64 elements of d, kDeep of K at a time; thread (x, y) of 8 x 16 adds up 4 rows by 8
// columns in the order of k.
namespace {

constexpr int kTile = 64, kDeep = 16, kShare = kTile * kDeep / 128, kBlock = 128;

__device__ double widened(__nv_fp8_e4m3 x) {
  return static_cast<double>(static_cast<float>(x));
}

}  // namespace

__global__ void reference(const __nv_fp8_e4m3* a, const float* a_scale, const __nv_fp8_e4m3* b, const float* b_scale,
                          double* d, long long M, long long N, long long K) {
  __shared__ double left[kDeep][kTile + 1], right[kDeep][kTile + 1];
  const long long tiles = (N + kTile - 1) / kTile;
  const long long first_row = blockIdx.x / tiles * kTile, first_column = blockIdx.x % tiles * kTile;
  if (first_row >= M) return;
  const int x = threadIdx.x % 8, y = threadIdx.x / 8;
  double sum[4][8] = {};
  for (long long k = 0; k < K; k += kDeep) {
    for (int n = 0; n < kShare; ++n) {
      const int at = threadIdx.x + n * 128, line = at / kDeep, deep = at % kDeep;
      const long long row = first_row + line, column = first_column + line, block = k / kBlock;
      left[deep][line] = row < M ? widened(a[row * K + k + deep]) * a_scale[block * M + row] : 0.0;
      right[deep][line] =
          column < N ? widened(b[column * K + k + deep]) * b_scale[column / kBlock * (K / kBlock) + block] : 0.0;
    }
    __syncthreads();
    for (int deep = 0; deep < kDeep; ++deep)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 8; ++j) sum[i][j] += left[deep][y + 16 * i] * right[deep][x + 8 * j];
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 8; ++j) {
      const long long row = first_row + y + 16 * i, column = first_column + x + 8 * j;
      if (row < M && column < N) d[row * N + column] = sum[i][j];
    }
}
