#include "epilogue.cuh"

// A thread an element of d. A block of 16 x 16 threads brings 16 x 16 pieces of a and b into shared memory, so that an
// element loaded from global memory serves 16 of them; this is the kernel that introductions to CUDA end with.
//
//
//
// Stops: at the rate of loads from shared memory, two for each multiply-add.
template <class T, class Out, bool BIAS, bool GELU, bool SILU, bool OTHER, bool RESIDUAL>
__global__ void gemm_naive(const T* a, const T* b, const T* bias, const T* other, const T* residual, Out* d, int M,
                           int N, int K, long long lda, long long ldb, long long ldd, int linear) {
  __shared__ float left[16][17], right[16][17];
  const int x = threadIdx.x % 16, y = threadIdx.x / 16, tiles_n = (N + 15) / 16;
  const int first_row = blockIdx.x / tiles_n * 16, first_column = blockIdx.x % tiles_n * 16;
  float sum = 0;
  for (int k = 0; k < K; k += 16) {
    const int row = first_row + y, column = first_column + (linear ? y : x), deep = k + (linear ? x : y);
    left[y][x] = row < M && k + x < K ? harness::to_float(a[row * lda + k + x]) : 0.0f;
    const bool is_there = column < N && deep < K;
    const float of_b = is_there ? harness::to_float(linear ? b[column * ldb + deep] : b[deep * ldb + column]) : 0.0f;
    (linear ? right[x][y] : right[y][x]) = of_b;
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += left[y][i] * right[i][x];
    __syncthreads();
  }
  const Epilogue<T, Out, BIAS, GELU, SILU, OTHER, RESIDUAL> epilogue{d, bias, other, residual, M, N, ldd};
  epilogue.store(sum, first_row + y, first_column + x);
}
