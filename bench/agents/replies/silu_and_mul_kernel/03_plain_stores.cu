/*
hypothesis: Streaming stores leave the L2 early. What is written in a launch is 16 MB and may stay there until the memory has
  time; so plain stores, with the loads and the shape of the first proposal and the reciprocal of the second.
speedup: [1.2, 2.1]
params: {"BLOCK": {"values": [128, 256, 512], "bind": "template"}, "UNROLL": {"values": [1, 2], "bind": "template"}}
valid: function(p, w, device) return divisible(w.d, 4) end
steps: function(p, w, device)
    local parts = cdiv(w.d, 4 * p.BLOCK * p.UNROLL)
    return { launch { entry = "silu_and_mul_kernel<$BLOCK,$UNROLL>", grid = { w.num_tokens * parts }, block = { p.BLOCK },
                      shared = 0, args = { "out", "input", i32(w.d), i32(parts) } } }
  end
*/
#include <harness/adopted.cuh>
#include <harness/vec.cuh>

template <int BLOCK, int UNROLL>
__global__ void __launch_bounds__(BLOCK) silu_and_mul_kernel(float* __restrict__ out, const float* __restrict__ input,
                                                             const int d, const int parts) {
  const int64_t token = blockIdx.x / parts;
  const int first = 4 * ((blockIdx.x % parts) * (BLOCK * UNROLL) + threadIdx.x);
  const float* const in = input + token * 2 * d;
  harness::Vec<float, 4> x[UNROLL], y[UNROLL];
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    const int at = first + 4 * u * BLOCK;
    if (at < d) {
      x[u] = harness::load<4>(in + at);
      y[u] = harness::load<4>(in + d + at);
    }
  }
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    const int at = first + 4 * u * BLOCK;
    if (at >= d) continue;
#pragma unroll
    for (int e = 0; e < 4; ++e) x[u].at[e] = x[u].at[e] * (1.0f / (1.0f + __expf(-x[u].at[e]))) * y[u].at[e];
    harness::store(out + token * d + at, x[u]);
  }
}
