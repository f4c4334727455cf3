/*
hypothesis: A product costs two loads from shared memory. A thread that owns 8 by 8 results loads 16 values for 64 products; tiles of
  128 by 128 by 16 in two buffers, the next one on its way from memory in registers meanwhile.
speedup: [5, 12]
valid: function(p, w, device) return true end
steps: function(p, w, device)
    return { launch { entry = "sgemm_shared_mem_block", grid = { cdiv(w.N, 128), cdiv(w.M, 128) }, block = { 256 }, shared = 0,
                      args = { i32(w.M), i32(w.N), i32(w.K), "alpha", "A", "B", "beta", "C" } } }
  end
*/
#include <harness/adopted.cuh>

constexpr int kTile = 128, kDeep = 16;

__device__ inline float4 part_of(const float* from, int row, int rows, int column, int columns) {
  return row < rows && column < columns ? *reinterpret_cast<const float4*>(from + (size_t)row * columns + column)
                                        : make_float4(0, 0, 0, 0);
}

__global__ void __launch_bounds__(256, 2)
    sgemm_shared_mem_block(int M, int N, int K, float alpha, const float* __restrict__ A, const float* __restrict__ B,
                           float beta, float* __restrict__ C) {
  __shared__ __align__(16) float a_tile[2][kDeep][kTile + 4], b_tile[2][kDeep][kTile];
  const int thread = threadIdx.x, row0 = blockIdx.y * kTile, column0 = blockIdx.x * kTile;
  const int a_row = thread / 4, a_k = thread % 4 * 4, b_k = thread / 32, b_column = thread % 32 * 4;
  const int x = thread % 16 * 4, y = thread / 16 * 4;
  float4 a_next[2], b_next[2];
  const auto fetch = [&](int k) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      a_next[i] = part_of(A, row0 + a_row + 64 * i, M, k + a_k, K);
      b_next[i] = part_of(B, k + b_k + 8 * i, K, column0 + b_column, N);
    }
  };
  const auto put = [&](int stage) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      a_tile[stage][a_k][a_row + 64 * i] = a_next[i].x;
      a_tile[stage][a_k + 1][a_row + 64 * i] = a_next[i].y;
      a_tile[stage][a_k + 2][a_row + 64 * i] = a_next[i].z;
      a_tile[stage][a_k + 3][a_row + 64 * i] = a_next[i].w;
      *reinterpret_cast<float4*>(&b_tile[stage][b_k + 8 * i][b_column]) = b_next[i];
    }
  };
  float sum[8][8] = {};
  fetch(0);
  put(0);
  __syncthreads();
  for (int k = 0, stage = 0; k < K; k += kDeep, stage ^= 1) {
    if (k + kDeep < K) fetch(k + kDeep);
#pragma unroll
    for (int d = 0; d < kDeep; ++d) {
      float a[8], b[8];
      *reinterpret_cast<float4*>(a) = *reinterpret_cast<const float4*>(&a_tile[stage][d][y]);
      *reinterpret_cast<float4*>(a + 4) = *reinterpret_cast<const float4*>(&a_tile[stage][d][y + 64]);
      *reinterpret_cast<float4*>(b) = *reinterpret_cast<const float4*>(&b_tile[stage][d][x]);
      *reinterpret_cast<float4*>(b + 4) = *reinterpret_cast<const float4*>(&b_tile[stage][d][x + 64]);
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) sum[i][j] += a[i] * b[j];
    }
    if (k + kDeep < K) put(stage ^ 1);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int row = row0 + y + i % 4 + 64 * (i / 4);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int column = column0 + x + 64 * half;
      if (row >= M || column >= N) continue;
      float4* const at = reinterpret_cast<float4*>(C + (size_t)row * N + column);
      const float4 old = *at;
      const float* const s = sum[i] + 4 * half;
      *at = make_float4(alpha * s[0] + beta * old.x, alpha * s[1] + beta * old.y, alpha * s[2] + beta * old.z,
                        alpha * s[3] + beta * old.w);
    }
  }
}
