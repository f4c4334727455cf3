/*
hypothesis: Tensor cores work in half of the cycles: each CTA splits its tiles into pieces itself, every element sixteen times over, in
  registers that the products need. A first launch splits each matrix once; the second copies pieces by cp.async, three stages deep.
speedup: [7.2, 10]
params: {"STAGES": {"values": [2, 3], "bind": "template"}}
valid: function(p, w, device) return true end
workspaces: function(p, w, device)
    return { workspace { "a_pieces", bytes = 6 * w.M * w.K, align = 256, init = "dirty" },
             workspace { "b_pieces", bytes = 6 * w.K * w.N, align = 256, init = "dirty" } }
  end
steps: function(p, w, device)
    return { launch { entry = "split", grid = { cdiv(w.M * w.K + w.K * w.N, 2048) }, block = { 256 }, shared = 0,
                      args = { "A", "B", "a_pieces", "b_pieces", i32(w.M * w.K), i32(w.K * w.N) } },
             launch { entry = "sgemm_shared_mem_block<$STAGES>", grid = { cdiv(w.N, 128), cdiv(w.M, 128) }, block = { 256 },
                      shared = 56832 * p.STAGES,
                      args = { i32(w.M), i32(w.N), i32(w.K), "alpha", "a_pieces", "b_pieces", "beta", "C" } } }
  end
*/
#include <harness/adopted.cuh>
#include <harness/cp_async.cuh>
#include <harness/ldmatrix.cuh>
#include <harness/mma.cuh>
#include <harness/pack.cuh>

constexpr int kTile = 128, kDeep = 32, kPieces = 3;
constexpr int kRowOfA = kDeep + 8, kRowOfB = kTile + 8;  // padded: eight rows of a matrix lie in eight bank groups
constexpr int kA = kTile * kRowOfA, kB = kDeep * kRowOfB, kStage = kPieces * (kA + kB);  // in bf16

// The bf16 that is nearest to each, and what is left of them.
__device__ inline unsigned take_piece(float& low, float& high) {
  const unsigned piece = harness::pack<__nv_bfloat16>(low, high);
  low -= __uint_as_float(piece << 16);
  high -= __uint_as_float(piece & 0xffff0000u);
  return piece;
}

// The pieces of a matrix lie one behind the other, each as large as the matrix. Sizes are multiples of 8.
__global__ void __launch_bounds__(256)
    split(const float* __restrict__ A, const float* __restrict__ B, __nv_bfloat16* __restrict__ a_pieces,
          __nv_bfloat16* __restrict__ b_pieces, int a_size, int b_size) {
  int at = (blockIdx.x * 256 + threadIdx.x) * 8;
  const float* from = A;
  __nv_bfloat16* to = a_pieces;
  int size = a_size;
  if (at >= a_size) {
    at -= a_size;
    from = B;
    to = b_pieces;
    size = b_size;
  }
  if (at >= size) return;
  float4 v = __ldcs(reinterpret_cast<const float4*>(from + at)), u = __ldcs(reinterpret_cast<const float4*>(from + at + 4));
#pragma unroll
  for (int p = 0; p < kPieces; ++p) {
    const unsigned x = take_piece(v.x, v.y), y = take_piece(v.z, v.w), z = take_piece(u.x, u.y), w = take_piece(u.z, u.w);
    *reinterpret_cast<uint4*>(to + (size_t)p * size + at) = make_uint4(x, y, z, w);
  }
}

template <int STAGES>
__global__ void __launch_bounds__(256, 1)
    sgemm_shared_mem_block(int M, int N, int K, float alpha, const __nv_bfloat16* __restrict__ a_pieces,
                           const __nv_bfloat16* __restrict__ b_pieces, float beta, float* __restrict__ C) {
  extern __shared__ __align__(16) __nv_bfloat16 memory[];
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  const int row0 = blockIdx.y * kTile, column0 = blockIdx.x * kTile;
  const int warp_row = warp / 4 * 64, warp_column = warp % 4 * 32;
  // A piece of A: 128 rows of 4 vectors; of B: 32 rows of 16.
  const auto fetch = [&](int k, int stage) {
    __nv_bfloat16* const to = memory + stage * kStage;
#pragma unroll
    for (int p = 0; p < kPieces; ++p)
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int vector = thread + 256 * i;
        const int a_row = vector / 4, a_k = vector % 4 * 8, b_k = vector / 16, b_column = vector % 16 * 8;
        const bool a_is = row0 + a_row < M && k + a_k < K, b_is = k + b_k < K && column0 + b_column < N;
        harness::cp_async<16>(to + p * kA + a_row * kRowOfA + a_k,
                              a_is ? a_pieces + (size_t)p * M * K + (size_t)(row0 + a_row) * K + k + a_k : a_pieces,
                              a_is ? 16 : 0);
        harness::cp_async<16>(
            to + kPieces * kA + p * kB + b_k * kRowOfB + b_column,
            b_is ? b_pieces + (size_t)p * K * N + (size_t)(k + b_k) * N + column0 + b_column : b_pieces, b_is ? 16 : 0);
      }
  };
  float sum[4][4][4] = {};
#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) {
    if (s * kDeep < K) fetch(s * kDeep, s);
    harness::cp_async_commit();
  }
  for (int k = 0, turn = 0; k < K; k += kDeep, turn = turn + 1 == STAGES ? 0 : turn + 1) {
    harness::cp_async_wait<STAGES - 2>();
    __syncthreads();  // this stage is there, and the one before it is free
    if (k + (STAGES - 1) * kDeep < K) fetch(k + (STAGES - 1) * kDeep, (turn + STAGES - 1) % STAGES);
    harness::cp_async_commit();
    const __nv_bfloat16* const stage = memory + turn * kStage;
#pragma unroll
    for (int d = 0; d < kDeep; d += 16) {
      unsigned b[kPieces][2][4];  // two neighbouring tiles of eight columns each
#pragma unroll
      for (int p = 0; p < kPieces; ++p)
#pragma unroll
        for (int n = 0; n < 2; ++n)
          harness::ldmatrix_x4_trans(b[p][n], stage + kPieces * kA + p * kB + (d + lane % 16) * kRowOfB + warp_column +
                                                  16 * n + 8 * (lane / 16));
#pragma unroll
      for (int m = 0; m < 4; ++m) {
        unsigned a[kPieces][4];
#pragma unroll
        for (int p = 0; p < kPieces; ++p)
          harness::ldmatrix_x4(a[p], stage + p * kA + (warp_row + 16 * m + lane % 16) * kRowOfA + d + 8 * (lane / 16));
        float step[4][4] = {};  // the small products first
#pragma unroll
        for (int both = kPieces - 1; both >= 0; --both)
#pragma unroll
          for (int p = 0; p <= both; ++p)
#pragma unroll
            for (int n = 0; n < 4; ++n)
              harness::mma_m16n8k16<__nv_bfloat16>(step[n], a[p], b[both - p][n / 2][2 * (n % 2)],
                                                   b[both - p][n / 2][2 * (n % 2) + 1]);
#pragma unroll
        for (int n = 0; n < 4; ++n)
#pragma unroll
          for (int e = 0; e < 4; ++e) sum[m][n][e] += step[n][e];
      }
    }
  }
#pragma unroll
  for (int m = 0; m < 4; ++m)
#pragma unroll
    for (int n = 0; n < 4; ++n)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = row0 + warp_row + 16 * m + lane / 4 + 8 * half;
        const int column = column0 + warp_column + 8 * n + 2 * (lane % 4);
        if (row >= M || column >= N) continue;
        float2* const at = reinterpret_cast<float2*>(C + (size_t)row * N + column);
        const float2 old = *at;
        *at = make_float2(alpha * sum[m][n][2 * half] + beta * old.x, alpha * sum[m][n][2 * half + 1] + beta * old.y);
      }
}
