/*
hypothesis: The grid-stride kernel again, with streaming loads and twice the loads in flight by fewer threads; a warp adds
  its sum to the result itself, so no barrier ends a CTA.
speedup: [3, 9]
params: {"BLOCK": {"values": [128, 256], "bind": "template"}, "UNROLL": {"values": [4, 8], "bind": "template"},
  "CTAS": {"values": [264, 1056], "bind": "launch"}}
valid: function(p, w, device) return true end
steps: function(p, w, device)
    return { launch { entry = "dot<$BLOCK,$UNROLL>", grid = { p.CTAS }, block = { p.BLOCK }, shared = 0,
                      args = { "a", "b", "result", i32(w.n) } } }
  end
*/
#include <harness/adopted.cuh>
#include <harness/warp.cuh>

template <int BLOCK, int UNROLL>
__global__ void __launch_bounds__(BLOCK) dot(const float* __restrict__ a, const float* __restrict__ b,
                                             float* __restrict__ result, int n) {
  const float4 *va = reinterpret_cast<const float4*>(a), *vb = reinterpret_cast<const float4*>(b);
  const int vectors = n / 4, stride = gridDim.x * BLOCK;
  float total = 0, other = 0;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < vectors; i += UNROLL * stride) {
    float4 x[UNROLL], y[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      x[u] = y[u] = make_float4(0, 0, 0, 0);
      if (i + u * stride < vectors) {
        x[u] = __ldcs(va + i + u * stride);
        y[u] = __ldcs(vb + i + u * stride);
      }
    }
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      total += x[u].x * y[u].x + x[u].y * y[u].y;
      other += x[u].z * y[u].z + x[u].w * y[u].w;
    }
  }
  const int last = 4 * vectors + threadIdx.x;
  if (blockIdx.x == 0 && last < n) total += a[last] * b[last];
  total = harness::warp_sum(total + other);
  if (threadIdx.x % 32 == 0) atomicAdd(result, total);
}
