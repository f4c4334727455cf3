// Tiles in shared memory and the tensor cores: four warps, each a quarter of a tile of TILE_M x 64.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

constexpr int N = 1024, K = 1024, TILE_N = 64, STEP = 64, PITCH = STEP + 8;

__global__ void __launch_bounds__(128) gemm_f16(const __half* A, const __half* B, __half* C, long long M) {
  __shared__ __align__(128) __half a[TILE_M * PITCH], b[TILE_N * PITCH];
  __shared__ __align__(128) float c[TILE_M * TILE_N];
  const int rows = static_cast<int>(M), row = blockIdx.y * TILE_M, column = blockIdx.x * TILE_N;
  const int warp = threadIdx.x / 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[TILE_M / 16];
#pragma unroll
  for (int i = 0; i < TILE_M / 16; ++i) wmma::fill_fragment(sums[i], 0.0f);
  for (int k = 0; k < K; k += STEP) {
    for (int piece = threadIdx.x; piece < TILE_M * STEP / 8; piece += 128) {
      const int r = piece / (STEP / 8), at = piece % (STEP / 8) * 8;
      uint4 eight = make_uint4(0, 0, 0, 0);
      if (row + r < rows) eight = *reinterpret_cast<const uint4*>(A + (row + r) * K + k + at);
      *reinterpret_cast<uint4*>(a + r * PITCH + at) = eight;
    }
    for (int piece = threadIdx.x; piece < TILE_N * STEP / 8; piece += 128) {
      const int r = piece / (STEP / 8), at = piece % (STEP / 8) * 8;
      *reinterpret_cast<uint4*>(b + r * PITCH + at) =
          *reinterpret_cast<const uint4*>(B + (column + r) * K + k + at);
    }
    __syncthreads();
#pragma unroll
    for (int inner = 0; inner < STEP; inner += 16) {
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> right;
      wmma::load_matrix_sync(right, b + warp * 16 * PITCH + inner, PITCH);
#pragma unroll
      for (int i = 0; i < TILE_M / 16; ++i) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
        wmma::load_matrix_sync(left, a + i * 16 * PITCH + inner, PITCH);
        wmma::mma_sync(sums[i], left, right, sums[i]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < TILE_M / 16; ++i)
    wmma::store_matrix_sync(c + i * 16 * TILE_N + warp * 16, sums[i], TILE_N, wmma::mem_row_major);
  __syncthreads();
  for (int at = threadIdx.x; at < TILE_M * TILE_N / 2; at += 128) {
    const int r = at / (TILE_N / 2), col = at % (TILE_N / 2) * 2;
    if (row + r < rows)
      *reinterpret_cast<__half2*>(C + (row + r) * N + column + col) =
          __floats2half2_rn(c[r * TILE_N + col], c[r * TILE_N + col + 1]);
  }
}
