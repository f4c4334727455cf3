#include "epilogue.cuh"

// A thread an element of d: two loads for each multiply-add, and every element of a and b is read again by each thread
// that needs it. Threads of a warp have neighbouring columns.
// Stops: at the L1's rate of loads, a hundred times below what the multiply-add units could do.
template <class T, class Out>
__global__ void gemm_naive(const T* a, const T* b, const T* bias, const T* other, const T* residual, Out* d, int M,
                           int N, int K, long long lda, long long ldb, long long ldd, int linear, int gelu, int silu) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= N) return;
  const Epilogue<T, Out> epilogue{d, bias, other, residual, M, N, ldd, gelu, silu};
  const long long column_stride = linear ? ldb : 1, k_stride = linear ? 1 : ldb;
  for (int row = blockIdx.y; row < M; row += gridDim.y) {
    float sum = 0;
    for (int k = 0; k < K; ++k)
      sum += harness::to_float(a[row * lda + k]) * harness::to_float(b[column * column_stride + k * k_stride]);
    epilogue.store(sum, row, column);
  }
}
