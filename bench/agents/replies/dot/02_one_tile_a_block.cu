/*
hypothesis: A grid-stride loop waits for its loads once a turn. With one tile a CTA all its loads are issued at once, and
  other CTAs of the multiprocessor fill the time of the reduction; 2,000 atomics to one address cost about a microsecond.
speedup: [3, 9]
params: {"BLOCK": {"values": [128, 256, 512], "bind": "template"}, "UNROLL": {"values": [2, 4], "bind": "template"}}
valid: function(p, w, device) return true end
steps: function(p, w, device)
    return { launch { entry = "dot<$BLOCK,$UNROLL>", grid = { cdiv(w.n, 4 * p.BLOCK * p.UNROLL) }, block = { p.BLOCK },
                      shared = 0, args = { "a", "b", "result", i32(w.n) } } }
  end
*/
#include <harness/adopted.cuh>
#include <harness/vec.cuh>
#include <harness/warp.cuh>

template <int BLOCK, int UNROLL>
__global__ void __launch_bounds__(BLOCK) dot(const float* __restrict__ a, const float* __restrict__ b,
                                             float* __restrict__ result, int n) {
  __shared__ float partial[BLOCK / 32];
  const int vectors = n / 4, first = blockIdx.x * (BLOCK * UNROLL) + threadIdx.x;
  float4 x[UNROLL], y[UNROLL];
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    const int i = first + u * BLOCK;
    x[u] = y[u] = make_float4(0, 0, 0, 0);
    if (i < vectors) {
      x[u] = __ldcs(reinterpret_cast<const float4*>(a) + i);
      y[u] = __ldcs(reinterpret_cast<const float4*>(b) + i);
    }
  }
  float total = 0;
#pragma unroll
  for (int u = 0; u < UNROLL; ++u)
    total += (x[u].x * y[u].x + x[u].y * y[u].y) + (x[u].z * y[u].z + x[u].w * y[u].w);
  const int last = 4 * vectors + threadIdx.x;
  if (blockIdx.x == 0 && last < n) total += a[last] * b[last];
  total = harness::warp_sum(total);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = total;
  __syncthreads();
  if (threadIdx.x < 32) {
    total = harness::warp_sum(threadIdx.x < BLOCK / 32 ? partial[threadIdx.x] : 0.0f);
    if (threadIdx.x == 0) atomicAdd(result, total);
  }
}
