/*
hypothesis: Each thread has two loads of four bytes under way, and a division of full accuracy in its way. Vectors of 16
  bytes, a CTA for a part of a row, exponential and division by the fast units: only memory is left.
speedup: [1.2, 2]
params: {"BLOCK": {"values": [128, 256, 512], "bind": "template"}, "UNROLL": {"values": [1, 2, 4], "bind": "template"}}
valid: function(p, w, device) return divisible(w.d, 4) end
steps: function(p, w, device)
    local parts = cdiv(w.d, 4 * p.BLOCK * p.UNROLL)
    return { launch { entry = "silu_and_mul_kernel<$BLOCK,$UNROLL>", grid = { w.num_tokens * parts }, block = { p.BLOCK },
                      shared = 0, args = { "out", "input", i32(w.d), i32(parts) } } }
  end
*/
#include <harness/adopted.cuh>

__device__ inline float gated(float x, float y) {
  return __fdividef(x, 1.0f + __expf(-x)) * y;
}

template <int BLOCK, int UNROLL>
__global__ void __launch_bounds__(BLOCK) silu_and_mul_kernel(float* __restrict__ out, const float* __restrict__ input,
                                                             const int d, const int parts) {
  const int vectors = d / 4;
  const int64_t token = blockIdx.x / parts;
  const int first = (blockIdx.x % parts) * (BLOCK * UNROLL) + threadIdx.x;
  const float4* const in = reinterpret_cast<const float4*>(input) + token * 2 * vectors;
  float4* const to = reinterpret_cast<float4*>(out) + token * vectors;
  float4 x[UNROLL], y[UNROLL];
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    const int at = first + u * BLOCK;
    if (at < vectors) {
      x[u] = __ldcs(in + at);
      y[u] = __ldcs(in + vectors + at);
    }
  }
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    const int at = first + u * BLOCK;
    if (at < vectors)
      __stcs(to + at, make_float4(gated(x[u].x, y[u].x), gated(x[u].y, y[u].y), gated(x[u].z, y[u].z),
                                  gated(x[u].w, y[u].w)));
  }
}
