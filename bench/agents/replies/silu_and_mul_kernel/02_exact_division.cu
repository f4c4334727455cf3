/*
hypothesis: __fdividef gives 0 where its divisor is beyond 2^126, and the gates look there. 1 / (1 + exp(-x)) as a reciprocal is right
  at both ends, and the vectors stay. A persistent grid, so that CTAs need not be started for every part of a row.
speedup: [1.2, 2]
params: {"BLOCK": {"values": [256, 512], "bind": "template"}, "CTAS": {"values": [528, 1056, 2112], "bind": "launch"}}
valid: function(p, w, device) return divisible(w.d, 4) end
steps: function(p, w, device)
    return { launch { entry = "silu_and_mul_kernel<$BLOCK>", grid = { p.CTAS }, block = { p.BLOCK }, shared = 0,
                      args = { "out", "input", i32(w.d), i32(w.num_tokens) } } }
  end
*/
#include <harness/adopted.cuh>

__device__ inline float gated(float x, float y) {
  return x * (1.0f / (1.0f + __expf(-x))) * y;
}

template <int BLOCK>
__global__ void __launch_bounds__(BLOCK) silu_and_mul_kernel(float* __restrict__ out, const float* __restrict__ input,
                                                             const int d, const int tokens) {
  const int vectors = d / 4, all = tokens * vectors, stride = gridDim.x * BLOCK;
  const float4* const in = reinterpret_cast<const float4*>(input);
  float4* const to = reinterpret_cast<float4*>(out);
#pragma unroll 2
  for (int at = blockIdx.x * BLOCK + threadIdx.x; at < all; at += stride) {
    const int token = at / vectors;
    const float4 x = __ldcs(in + at + (size_t)token * vectors), y = __ldcs(in + at + (size_t)(token + 1) * vectors);
    __stcs(to + at, make_float4(gated(x.x, y.x), gated(x.y, y.y), gated(x.z, y.z), gated(x.w, y.w)));
  }
}
