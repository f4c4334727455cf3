/*
hypothesis: 5.5 of 18 stalls are the barrier of eight warps, and a CTA a row leaves a fifth of the last wave empty. A row by two warps
  that a named barrier of 64 threads joins: many small rows at once, each ready when its own loads are. Streaming loads, plain stores.
speedup: [1.2, 1.32]
params: {"ROWS": {"values": [1, 2, 4], "bind": "template"}, "WARPS": {"values": [2, 4], "bind": "template"},
  "ITEMS": {"values": [1, 2, 4, 8], "bind": "template"}}
valid: function(p, w, device)
    return all_of(divisible(w.hidden_size, 8), le(w.hidden_size, 256 * p.WARPS * p.ITEMS),
                  any_of(p.ITEMS == 1, lt(128 * p.WARPS * p.ITEMS, w.hidden_size)))
  end
steps: function(p, w, device)
    return { launch { entry = "rms_norm_kernel<$dtype,$ROWS,$WARPS,$ITEMS>", grid = { cdiv(w.num_tokens, p.ROWS) },
                      block = { 32 * p.WARPS * p.ROWS }, shared = 0,
                      args = { "out", "input", "weight", "epsilon", i32(w.num_tokens), i32(w.hidden_size) } } }
  end
*/
#include <harness/adopted.cuh>
#include <harness/convert.cuh>
#include <harness/vec.cuh>
#include <harness/warp.cuh>
#include <harness/warpgroup.cuh>

template <typename T>
union Eight {
  uint4 bits;
  harness::Vec<T, 8> values;
  __device__ Eight() : bits(make_uint4(0, 0, 0, 0)) {}
};

// The warps of one row; each row has a barrier of its own.
__device__ inline void meet(int row, unsigned threads) {
  if (row == 0) harness::named_barrier_sync<1>(threads);
  else if (row == 1) harness::named_barrier_sync<2>(threads);
  else if (row == 2) harness::named_barrier_sync<3>(threads);
  else harness::named_barrier_sync<4>(threads);
}

template <typename T, int ROWS, int WARPS, int ITEMS>
__global__ void __launch_bounds__(32 * ROWS * WARPS)
    rms_norm_kernel(T* __restrict__ out, const T* __restrict__ input, const T* __restrict__ weight, const float epsilon,
                    const int num_tokens, const int hidden_size) {
  constexpr int kThreads = 32 * WARPS;
  __shared__ float of_warp[ROWS][WARPS];
  const int mine = threadIdx.x / kThreads, thread = threadIdx.x % kThreads, vectors = hidden_size / 8;
  const int token = blockIdx.x * ROWS + mine;
  if (token >= num_tokens) return;
  Eight<T> x[ITEMS];
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int at = i * kThreads + thread;
    if (at < vectors) x[i].bits = __ldcs(reinterpret_cast<const uint4*>(input + (size_t)token * hidden_size) + at);
  }
  float squares = 0;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i)
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      const float value = harness::to_float(x[i].values.at[e]);
      squares += value * value;
    }
  squares = harness::warp_sum(squares);
  if (thread % 32 == 0) of_warp[mine][thread / 32] = squares;
  meet(mine, kThreads);
  squares = 0;
#pragma unroll
  for (int i = 0; i < WARPS; ++i) squares += of_warp[mine][i];
  const float factor = rsqrtf(squares / hidden_size + epsilon);
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int at = i * kThreads + thread;
    if (at >= vectors) continue;
    Eight<T> w;
    w.bits = __ldg(reinterpret_cast<const uint4*>(weight) + at);
#pragma unroll
    for (int e = 0; e < 8; ++e)
      x[i].values.at[e] = harness::from_float<T>(harness::to_float(x[i].values.at[e]) * factor *
                                                 harness::to_float(w.values.at[e]));
    reinterpret_cast<uint4*>(out + (size_t)token * hidden_size)[at] = x[i].bits;
  }
}
