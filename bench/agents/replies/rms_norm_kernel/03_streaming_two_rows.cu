/*
hypothesis: The row in a CTA's registers again, with hints that rows are used once (so that the weights stay in cache), and ROWS
  rows a CTA: the next row is under way while one is reduced and written, and the weights are read once for all of them.
speedup: [1.5, 3.8]
params: {"BLOCK": {"values": [256, 512], "bind": "template"}, "ITEMS": {"values": [1, 2], "bind": "template"},
  "ROWS": {"values": [1, 2, 4], "bind": "launch"}}
valid: function(p, w, device)
    return all_of(divisible(w.hidden_size, 8), le(w.hidden_size, 8 * p.BLOCK * p.ITEMS),
                  any_of(p.ITEMS == 1, lt(4 * p.BLOCK * p.ITEMS, w.hidden_size)))
  end
steps: function(p, w, device)
    return { launch { entry = "rms_norm_kernel<$dtype,$BLOCK,$ITEMS>", grid = { cdiv(w.num_tokens, p.ROWS) },
                      block = { p.BLOCK }, shared = 0,
                      args = { "out", "input", "weight", "epsilon", i32(w.num_tokens), i32(w.hidden_size) } } }
  end
*/
#include <harness/adopted.cuh>
#include <harness/convert.cuh>
#include <harness/vec.cuh>
#include <harness/warp.cuh>

template <typename T>
union Eight {
  uint4 bits;
  harness::Vec<T, 8> values;
  __device__ Eight() : bits(make_uint4(0, 0, 0, 0)) {}
};

template <typename T, int BLOCK, int ITEMS>
__global__ void __launch_bounds__(BLOCK) rms_norm_kernel(T* __restrict__ out, const T* __restrict__ input,
                                                         const T* __restrict__ weight, const float epsilon,
                                                         const int num_tokens, const int hidden_size) {
  __shared__ float of_warp[2][BLOCK / 32];
  const int vectors = hidden_size / 8;
  Eight<T> x[ITEMS], next[ITEMS], w[ITEMS];
  const auto fetch = [&](Eight<T>(&to)[ITEMS], const T* from, int token) {
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      const int at = i * BLOCK + threadIdx.x;
      if (token < num_tokens && at < vectors)
        to[i].bits = __ldcs(reinterpret_cast<const uint4*>(from + (size_t)token * hidden_size) + at);
    }
  };
  fetch(x, input, blockIdx.x);
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int at = i * BLOCK + threadIdx.x;
    if (at < vectors) w[i].bits = __ldg(reinterpret_cast<const uint4*>(weight) + at);
  }
  int turn = 0;
  for (int token = blockIdx.x; token < num_tokens; token += gridDim.x, turn ^= 1) {
    fetch(next, input, token + gridDim.x);
    float squares = 0;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i)
#pragma unroll
      for (int e = 0; e < 8; ++e) {
        const float value = harness::to_float(x[i].values.at[e]);
        if (i * BLOCK + threadIdx.x < vectors) squares += value * value;
      }
    squares = harness::warp_sum(squares);
    if (threadIdx.x % 32 == 0) of_warp[turn][threadIdx.x / 32] = squares;
    __syncthreads();
    squares = 0;
#pragma unroll
    for (int i = 0; i < BLOCK / 32; ++i) squares += of_warp[turn][i];
    const float factor = rsqrtf(squares / hidden_size + epsilon);
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      const int at = i * BLOCK + threadIdx.x;
#pragma unroll
      for (int e = 0; e < 8; ++e)
        x[i].values.at[e] = harness::from_float<T>(harness::to_float(x[i].values.at[e]) * factor *
                                                   harness::to_float(w[i].values.at[e]));
      if (at < vectors) __stcs(reinterpret_cast<uint4*>(out + (size_t)token * hidden_size) + at, x[i].bits);
      x[i] = next[i];
    }
  }
}
