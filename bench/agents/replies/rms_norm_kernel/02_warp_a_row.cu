/*
hypothesis: A warp a row needs no barrier and no shared memory: at 4,096 elements a lane holds 16 vectors, all of them under
  way at once. The weights come from L1, where the warps of a CTA share them.
speedup: [1.5, 3.5]
params: {"WARPS": {"values": [1, 2, 4], "bind": "template"}, "ITEMS": {"values": [1, 4, 16], "bind": "template"}}
valid: function(p, w, device)
    return all_of(divisible(w.hidden_size, 8), le(w.hidden_size, 256 * p.ITEMS),
                  any_of(p.ITEMS == 1, lt(64 * p.ITEMS, w.hidden_size)))
  end
steps: function(p, w, device)
    return { launch { entry = "rms_norm_kernel<$dtype,$WARPS,$ITEMS>", grid = { cdiv(w.num_tokens, p.WARPS) },
                      block = { 32 * p.WARPS }, shared = 0,
                      args = { "out", "input", "weight", "epsilon", i32(w.num_tokens), i32(w.hidden_size) } } }
  end
*/
#include <harness/adopted.cuh>
#include <harness/convert.cuh>
#include <harness/vec.cuh>
#include <harness/warp.cuh>

template <typename T, int WARPS, int ITEMS>
__global__ void __launch_bounds__(32 * WARPS) rms_norm_kernel(T* __restrict__ out, const T* __restrict__ input,
                                                              const T* __restrict__ weight, const float epsilon,
                                                              const int num_tokens, const int hidden_size) {
  const int lane = threadIdx.x % 32, token = blockIdx.x * WARPS + threadIdx.x / 32, vectors = hidden_size / 8;
  if (token >= num_tokens) return;
  const T* const row = input + (size_t)token * hidden_size;
  harness::Vec<T, 8> x[ITEMS];
#pragma unroll
  for (int i = 0; i < ITEMS; ++i)
    if (i * 32 + lane < vectors) x[i] = harness::load<8>(row + 8 * (i * 32 + lane));
  float squares = 0;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    if (i * 32 + lane >= vectors) continue;
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      const float value = harness::to_float(x[i].at[e]);
      squares += value * value;
    }
  }
  const float factor = rsqrtf(harness::warp_sum(squares) / hidden_size + epsilon);
  T* const to = out + (size_t)token * hidden_size;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int at = i * 32 + lane;
    if (at >= vectors) continue;
    const harness::Vec<T, 8> w = harness::load<8>(weight + 8 * at);
#pragma unroll
    for (int e = 0; e < 8; ++e)
      x[i].at[e] = harness::from_float<T>(harness::to_float(x[i].at[e]) * factor * harness::to_float(w.at[e]));
    harness::store(to + 8 * at, x[i]);
  }
}
