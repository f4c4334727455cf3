#pragma once
#include "epilogue.cuh"

// A tiled product, right but for one defect that a macro chooses. Blocks of 16 x 16 threads, tiles of 16.
#ifndef DEFECT_BIAS
#define DEFECT_BIAS column
#endif
#ifndef DEFECT_EPILOGUE
#define DEFECT_EPILOGUE (activate(sum + of_bias) * of_other + of_residual)
#endif
#ifndef DEFECT_DEPTH
#define DEFECT_DEPTH K
#endif
#ifndef DEFECT_WIDTH
#define DEFECT_WIDTH N
#endif
#ifndef DEFECT_PITCH
#define DEFECT_PITCH lda
#endif
#ifndef DEFECT_LINEAR
#define DEFECT_LINEAR linear
#endif

template <class T, class Out, bool GELU, bool SILU>
using Parts = Epilogue<T, Out, true, GELU, SILU, true, true>;

template <class T>
__device__ float finish(float sum, const T* bias, const T* other, const T* residual, int row, int column, long long at,
                        int gelu, int silu, int N) {
  const auto activate = [=](float x) {
    return gelu ? Parts<T, T, true, false>::activate(x) : silu ? Parts<T, T, false, true>::activate(x) : x;
  };
  const float of_bias = bias ? harness::to_float(bias[DEFECT_BIAS]) : 0.0f;
  const float of_other = other ? harness::to_float(other[at]) : 1.0f;
  const float of_residual = residual ? harness::to_float(residual[at]) : 0.0f;
  return DEFECT_EPILOGUE;
}

template <class T, class Out>
__global__ void gemm_defect(const T* a, const T* b, const T* bias, const T* other, const T* residual, Out* d, int M,
                            int N, int K, long long lda, long long ldb, long long ldd, int linear, int gelu, int silu) {
  __shared__ float left[16][17], right[16][17];
  const int x = threadIdx.x % 16, y = threadIdx.x / 16, tiles_n = (N + 15) / 16;
  const int row = blockIdx.x / tiles_n * 16 + y, column = blockIdx.x % tiles_n * 16 + x;
  float sum = 0;
  for (int k = 0; k < DEFECT_DEPTH; k += 16) {
    left[y][x] = row < M && k + x < K ? harness::to_float(a[row * DEFECT_PITCH + k + x]) : 0.0f;
    const long long at = DEFECT_LINEAR ? column * ldb + k + y : (k + y) * ldb + column;
    right[y][x] = column < N && k + y < K ? harness::to_float(b[at]) : 0.0f;
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += left[y][i] * right[i][x];
#ifdef DEFECT_ROUND
    sum = harness::to_float(harness::from_float<T>(sum));
#endif
    __syncthreads();
  }
  if (row >= M || column >= DEFECT_WIDTH) return;
  d[row * ldd + column] =
      harness::from_float<Out>(finish(sum, bias, other, residual, row, column, row * ldd + column, gelu, silu, N));
}
