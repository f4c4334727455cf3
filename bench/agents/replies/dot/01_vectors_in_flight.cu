/*
hypothesis: 64 CTAs leave half of 132 multiprocessors idle and a thread has two loads of 4 bytes under way. Sixteen-byte
  loads, UNROLL of each array issued before the first is used, and CTAs for all multiprocessors reach memory's bandwidth.
speedup: [3, 8]
params: {"BLOCK": {"values": [256, 512], "bind": "template"}, "UNROLL": {"values": [2, 4], "bind": "template"},
  "CTAS": {"values": [264, 528], "bind": "launch"}}
valid: function(p, w, device) return true end
steps: function(p, w, device)
    return { launch { entry = "dot<$BLOCK,$UNROLL>", grid = { p.CTAS }, block = { p.BLOCK }, shared = 0,
                      args = { "a", "b", "result", i32(w.n) } } }
  end
*/
#include <harness/adopted.cuh>
#include <harness/vec.cuh>
#include <harness/warp.cuh>

template <int BLOCK, int UNROLL>
__global__ void __launch_bounds__(BLOCK) dot(const float* __restrict__ a, const float* __restrict__ b,
                                             float* __restrict__ result, int n) {
  __shared__ float partial[BLOCK / 32];
  const int vectors = n / 4, stride = gridDim.x * BLOCK;
  float sum[UNROLL] = {};
  int i = blockIdx.x * BLOCK + threadIdx.x;
  for (; i + (UNROLL - 1) * stride < vectors; i += UNROLL * stride) {
    harness::Vec<float, 4> x[UNROLL], y[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      x[u] = harness::load<4>(a + 4 * (i + u * stride));
      y[u] = harness::load<4>(b + 4 * (i + u * stride));
    }
#pragma unroll
    for (int u = 0; u < UNROLL; ++u)
#pragma unroll
      for (int e = 0; e < 4; ++e) sum[u] += x[u].at[e] * y[u].at[e];
  }
  for (; i < vectors; i += stride) {
    const auto x = harness::load<4>(a + 4 * i), y = harness::load<4>(b + 4 * i);
#pragma unroll
    for (int e = 0; e < 4; ++e) sum[0] += x.at[e] * y.at[e];
  }
  const int last = 4 * vectors + threadIdx.x;
  if (blockIdx.x == 0 && last < n) sum[0] += a[last] * b[last];
  float total = 0;
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) total += sum[u];
  total = harness::warp_sum(total);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = total;
  __syncthreads();
  if (threadIdx.x < 32) {
    total = harness::warp_sum(threadIdx.x < BLOCK / 32 ? partial[threadIdx.x] : 0.0f);
    if (threadIdx.x == 0) atomicAdd(result, total);
  }
}
