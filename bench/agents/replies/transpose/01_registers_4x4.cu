/*
hypothesis: A thread moves a square of 4 by 4: four loads and four stores of 16 bytes, transposed in its registers. No shared
  memory, no barrier, a quarter of the instructions; a warp still reads and writes whole sectors of 32 bytes.
speedup: [1.1, 1.6]
params: {"ACROSS": {"values": [4, 8, 16], "bind": "template"}, "BLOCK": {"values": [128, 256], "bind": "template"}}
valid: function(p, w, device)
    return all_of(divisible(w.width, 4), divisible(w.height, 4))
  end
steps: function(p, w, device)
    return { launch { entry = "transpose<$ACROSS,$BLOCK>", grid = { cdiv(w.width, 4 * p.ACROSS),
                      cdiv(w.height, 4 * (p.BLOCK // p.ACROSS)) }, block = { p.BLOCK }, shared = 0,
                      args = { "odata", "idata", i32(w.width), i32(w.height) } } }
  end
*/
#include <harness/adopted.cuh>

template <int ACROSS, int BLOCK>
__global__ void __launch_bounds__(BLOCK, 1024 / BLOCK) transpose(float* __restrict__ odata, const float* __restrict__ idata, int width,
                                                   int height) {
  const int x = 4 * (blockIdx.x * ACROSS + threadIdx.x % ACROSS);
  const int y = 4 * (blockIdx.y * (BLOCK / ACROSS) + threadIdx.x / ACROSS);
  if (x >= width || y >= height) return;
  float4 row[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) row[i] = __ldcs(reinterpret_cast<const float4*>(idata + (size_t)(y + i) * width + x));
  float* const out = odata + (size_t)x * height + y;
  __stcs(reinterpret_cast<float4*>(out), make_float4(row[0].x, row[1].x, row[2].x, row[3].x));
  __stcs(reinterpret_cast<float4*>(out + height), make_float4(row[0].y, row[1].y, row[2].y, row[3].y));
  __stcs(reinterpret_cast<float4*>(out + 2 * (size_t)height), make_float4(row[0].z, row[1].z, row[2].z, row[3].z));
  __stcs(reinterpret_cast<float4*>(out + 3 * (size_t)height), make_float4(row[0].w, row[1].w, row[2].w, row[3].w));
}
