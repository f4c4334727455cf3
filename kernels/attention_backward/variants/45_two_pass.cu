#include "mma_keys.cuh"
#include "rows.cuh"

// Idea: no sum has two owners. d_k and d_v come from blocks that hold keys, as in 40_mma, and d_q from blocks of
// another launch that hold queries and walk over keys: a warp has 16 queries, S = Q K^T and dP = d_o V^T are products
// by rows, and d_q += dS K has dS from the registers in which it came to be. Every sum has one order, so every run
// leaves the same bits, nothing goes through shared memory but copies, and nothing but results to device memory. Cost:
// seven products where five would do, and all exponentials twice. Stops: at five sevenths of what 40_mma could reach
// where that is bound by products; it is ahead where atomics are slow, and where contracts ask for the same bits.
template <class T, int D, int WARPS, int BLOCK_M, int BLOCKS>
__global__ void __launch_bounds__(32 * WARPS, BLOCKS)
    backward_of_keys(const T* q, const T* k, const T* v, const T* d_o, const float* lse_of_tiles, const float* deltas,
                     T* d_k, T* d_v, float scale, int Hq, int Hkv, int Sq, int Sk, int padded, int causal) {
  walk_over_queries<T, D, WARPS, BLOCK_M, false>(q, k, v, d_o, lse_of_tiles, deltas, nullptr, d_k, d_v, scale, Hq, Hkv,
                                                 Sq, Sk, padded, causal != 0);
}

/// Shared memory: Q and d_o, then two stages of K and V.
template <class T, int D, int WARPS, int BLOCK_N, int BLOCKS>
__global__ void __launch_bounds__(32 * WARPS, BLOCKS)
    backward_of_queries(const T* q, const T* k, const T* v, const T* d_o, const float* lse_of_tiles,
                        const float* deltas, T* d_q, float scale, int Hq, int Hkv, int Sq, int Sk, int padded,
                        int causal) {
  constexpr int kThreads = 32 * WARPS, kBlockM = 16 * WARPS, kGroups = BLOCK_N / 8;
  constexpr int kQueryBytes = kBlockM * 2 * D, kKeyBytes = BLOCK_N * 2 * D;
  extern __shared__ float4 shared_memory[];
  char* const queries = reinterpret_cast<char*>(shared_memory);
  char* const gradients = queries + kQueryBytes;
  const auto keys = [&](int stage) { return gradients + kQueryBytes + stage * 2 * kKeyBytes; };
  const auto values = [&](int stage) { return keys(stage) + kKeyBytes; };

  const int block = causal ? gridDim.x - 1 - blockIdx.x : blockIdx.x;  // the longest first
  const int first_query = block * kBlockM, shift = Sk - Sq;
  const int warp = harness::uniform(threadIdx.x / 32), group = threadIdx.x % 32 / 4, pair = threadIdx.x % 4;
  const int own_query = first_query + 16 * warp;
  const long long head = blockIdx.y, kv_head = head / Hq * Hkv + head % Hq / (Hq / Hkv);
  const long long own = (head * Sq + first_query) * D;
  const int end = causal ? min(Sk, max(0, first_query + kBlockM + shift)) : Sk;

  copy_rows<D, kBlockM, kThreads>(queries, q + own, Sq - first_query);
  copy_rows<D, kBlockM, kThreads>(gradients, d_o + own, Sq - first_query);
  const auto load = [&](int stage, int key) {
    if (key < end) {
      const long long at = (kv_head * Sk + key) * D;
      copy_rows<D, BLOCK_N, kThreads>(keys(stage), k + at, Sk - key);
      copy_rows<D, BLOCK_N, kThreads>(values(stage), v + at, Sk - key);
    }
    harness::cp_async_commit();
  };
  load(0, 0);
  float lse[2], delta[2], sum[D / 8][4];
#pragma unroll
  for (int h = 0; h < 2; ++h) {  // rows behind the last query have theirs, too
    const long long row = head * padded + own_query + group + 8 * h;
    lse[h] = lse_of_tiles[row];
    delta[h] = deltas[row];
  }
#pragma unroll
  for (int n = 0; n < D / 8; ++n)
#pragma unroll
    for (int i = 0; i < 4; ++i) sum[n][i] = 0;

  int stage = 0;
  for (int key = 0; key < end; key += BLOCK_N, stage ^= 1) {
    harness::cp_async_wait<0>();
    __syncthreads();
    load(stage ^ 1, key + BLOCK_N);
    float p[kGroups][4], ds[kGroups][4];
    multiply_by_rows<T, D>(p, queries, 16 * warp, keys(stage));
#pragma unroll
    for (int n = 0; n < kGroups; ++n)
#pragma unroll
      for (int i = 0; i < 4; ++i) p[n][i] = weight_of(p[n][i], scale, lse[i / 2]);
    if (key + BLOCK_N > Sk || (causal && key + BLOCK_N - 1 > own_query + shift))
#pragma unroll
      for (int n = 0; n < kGroups; ++n)
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const int j = key + 8 * n + 2 * pair + i % 2;
          if (j >= Sk || (causal && j > own_query + group + 8 * (i / 2) + shift)) p[n][i] = 0;
        }
    multiply_by_rows<T, D>(ds, gradients, 16 * warp, values(stage));
#pragma unroll
    for (int n = 0; n < kGroups; ++n)
#pragma unroll
      for (int i = 0; i < 4; ++i) ds[n][i] = p[n][i] * (ds[n][i] - delta[i / 2]);
    unsigned packed[kGroups][2];
    pack_pairs<T>(packed, ds);
    multiply_by_columns<T, D>(sum, packed, keys(stage));
  }
  harness::cp_async_wait_all();  // also where no key is seen
  store_rows<T, D>(d_q + own + 16 * warp * D, sum, scale, Sq - own_query);
}
