#include "epilogue.cuh"

// Idea (playbook 101): a block computes TILE x TILE elements of d, so a slice of a and of b that lies in shared memory
// serves TILE of them; a thread computes OF_EACH x OF_EACH, so an element that it has loaded from shared memory serves
// OF_EACH. At 128 and 8 a multiply-add needs a quarter of a load, and 1/64 of one from global memory.
//
//
//
// Stops: at the multiply-add units. The tensor cores, sixteen times as fast, lie idle.

namespace {

/// Rows `first` and on of [rows, K] as tile[k][row], zeros outside. One row more than TILE keeps columns of the tile in
/// different banks.
template <class T, int TILE, int DEEP, int THREADS>
__device__ void fetch(float (&tile)[DEEP][TILE + 1], const T* matrix, int first, int rows, int k, int K,
                      long long row_stride, long long k_stride) {
#pragma unroll
  for (int n = 0; n < TILE * DEEP / THREADS; ++n) {
    const int at = threadIdx.x + n * THREADS;
    const int row = k_stride == 1 ? at / DEEP : at % TILE, deep = k_stride == 1 ? at % DEEP : at / TILE;
    const bool is_there = first + row < rows && k + deep < K;
    tile[deep][row] = is_there ? harness::to_float(matrix[(first + row) * row_stride + (k + deep) * k_stride]) : 0.0f;
  }
}

}  // namespace

template <class T, class Out, bool BIAS, bool GELU, bool SILU, bool OTHER, bool RESIDUAL, int TILE, int DEEP,
          int OF_EACH>
__global__ void __launch_bounds__((TILE / OF_EACH) * (TILE / OF_EACH))
    gemm_tiled(const T* a, const T* b, const T* bias, const T* other, const T* residual, Out* d, int M, int N, int K,
               long long lda, long long ldb, long long ldd, int linear) {
  constexpr int kSide = TILE / OF_EACH, kThreads = kSide * kSide;
  __shared__ float left[DEEP][TILE + 1], right[DEEP][TILE + 1];
  const int tiles_n = (N + TILE - 1) / TILE;
  const int first_row = blockIdx.x / tiles_n * TILE, first_column = blockIdx.x % tiles_n * TILE;
  const int x = threadIdx.x % kSide, y = threadIdx.x / kSide;
  float sum[OF_EACH][OF_EACH] = {};
  for (int k = 0; k < K; k += DEEP) {
    fetch<T, TILE, DEEP, kThreads>(left, a, first_row, M, k, K, lda, 1);
    fetch<T, TILE, DEEP, kThreads>(right, b, first_column, N, k, K, linear ? ldb : 1, linear ? 1 : ldb);
    __syncthreads();
#pragma unroll
    for (int deep = 0; deep < DEEP; ++deep) {
      float of_a[OF_EACH], of_b[OF_EACH];
#pragma unroll
      for (int i = 0; i < OF_EACH; ++i) {
        of_a[i] = left[deep][y + kSide * i];
        of_b[i] = right[deep][x + kSide * i];
      }
#pragma unroll
      for (int i = 0; i < OF_EACH; ++i)
#pragma unroll
        for (int j = 0; j < OF_EACH; ++j) sum[i][j] += of_a[i] * of_b[j];
    }
    __syncthreads();
  }
  const Epilogue<T, Out, BIAS, GELU, SILU, OTHER, RESIDUAL> epilogue{d, bias, other, residual, M, N, ldd};
#pragma unroll
  for (int i = 0; i < OF_EACH; ++i)
#pragma unroll
    for (int j = 0; j < OF_EACH; ++j)
      epilogue.store(sum[i][j], first_row + y + kSide * i, first_column + x + kSide * j);
}
