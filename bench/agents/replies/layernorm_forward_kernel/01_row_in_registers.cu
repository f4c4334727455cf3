/*
hypothesis: A lane reads its row three times, four bytes at a time. Vectors of 16 bytes, the row kept in registers from the
  first pass on, and all of its loads issued before the first sum: the row is read once.
speedup: [1.2, 2]
params: {"WARPS": {"values": [1, 2, 4, 8], "bind": "template"}, "ITEMS": {"values": [1, 2, 6, 8], "bind": "template"}}
valid: function(p, w, device)
    return all_of(divisible(w.C, 4), le(w.C, 128 * p.ITEMS), any_of(p.ITEMS == 1, lt(64 * p.ITEMS, w.C)))
  end
steps: function(p, w, device)
    return { launch { entry = "layernorm_forward_kernel<$WARPS,$ITEMS>", grid = { cdiv(w.N, p.WARPS) },
                      block = { 32 * p.WARPS }, shared = 0,
                      args = { "out", "mean", "rstd", "inp", "weight", "bias", i32(w.N), i32(w.C) } } }
  end
*/
#include <harness/adopted.cuh>
#include <harness/warp.cuh>

template <int WARPS, int ITEMS>
__global__ void __launch_bounds__(32 * WARPS)
    layernorm_forward_kernel(float* __restrict__ out, float* __restrict__ mean, float* __restrict__ rstd,
                             const float* __restrict__ inp, const float* __restrict__ weight,
                             const float* __restrict__ bias, int N, int C) {
  const int lane = threadIdx.x % 32, row = blockIdx.x * WARPS + threadIdx.x / 32;
  if (row >= N) return;
  const int vectors = C / 4;
  const float4 *x = reinterpret_cast<const float4*>(inp + (size_t)row * C),
               *scale = reinterpret_cast<const float4*>(weight), *shift = reinterpret_cast<const float4*>(bias);
  float4 v[ITEMS];
  float sum = 0;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int at = i * 32 + lane;
    v[i] = at < vectors ? __ldcs(x + at) : make_float4(0, 0, 0, 0);
  }
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) sum += (v[i].x + v[i].y) + (v[i].z + v[i].w);
  const float m = harness::warp_sum(sum) / C;
  float squares = 0;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    if (i * 32 + lane >= vectors) continue;
    v[i] = make_float4(v[i].x - m, v[i].y - m, v[i].z - m, v[i].w - m);
    squares += (v[i].x * v[i].x + v[i].y * v[i].y) + (v[i].z * v[i].z + v[i].w * v[i].w);
  }
  const float s = rsqrtf(harness::warp_sum(squares) / C + 1e-5f);
  if (lane == 0) {
    mean[row] = m;
    rstd[row] = s;
  }
  float4* const o = reinterpret_cast<float4*>(out + (size_t)row * C);
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int at = i * 32 + lane;
    if (at >= vectors) continue;
    const float4 w = __ldg(scale + at), b = __ldg(shift + at);
    __stcs(o + at, make_float4(s * v[i].x * w.x + b.x, s * v[i].y * w.y + b.y, s * v[i].z * w.z + b.z,
                               s * v[i].w * w.w + b.w));
  }
}
