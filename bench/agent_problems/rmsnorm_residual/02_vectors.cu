// A warp a row, sixteen bytes a load; rows that are no multiple of four go one by one.
constexpr int ITEMS = 1024 / 128;

__global__ void __launch_bounds__(32 * WARPS)
    rmsnorm_residual(const float* x, const float* residual, const float* gain, float* out, long long rows,
                     long long hidden) {
  const int row = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32, width = static_cast<int>(hidden);
  if (row >= rows) return;
  const long long first = static_cast<long long>(row) * width;
  if (width % 4 == 0) {
    const float4* const a = reinterpret_cast<const float4*>(x + first);
    const float4* const b = reinterpret_cast<const float4*>(residual + first);
    float4 kept[ITEMS];
    float squares = 0;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      const int at = i * 32 + lane;
      kept[i] = make_float4(0, 0, 0, 0);
      if (at < width / 4) {
        const float4 one = a[at], two = b[at];
        kept[i] = make_float4(one.x + two.x, one.y + two.y, one.z + two.z, one.w + two.w);
      }
      squares += kept[i].x * kept[i].x + kept[i].y * kept[i].y + kept[i].z * kept[i].z + kept[i].w * kept[i].w;
    }
    for (int step = 16; step > 0; step /= 2) squares += __shfl_xor_sync(0xffffffffu, squares, step);
    const float scale = rsqrtf(squares / width + 1e-5f);
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      const int at = i * 32 + lane;
      if (at >= width / 4) break;
      const float4 g = reinterpret_cast<const float4*>(gain)[at];
      reinterpret_cast<float4*>(out + first)[at] = make_float4(kept[i].x * scale * g.x, kept[i].y * scale * g.y,
                                                               kept[i].z * scale * g.z, kept[i].w * scale * g.w);
    }
    return;
  }
  float squares = 0;
  for (int c = lane; c < width; c += 32) {
    const float total = x[first + c] + residual[first + c];
    squares += total * total;
  }
  for (int step = 16; step > 0; step /= 2) squares += __shfl_xor_sync(0xffffffffu, squares, step);
  const float scale = rsqrtf(squares / width + 1e-5f);
  for (int c = lane; c < width; c += 32) out[first + c] = (x[first + c] + residual[first + c]) * scale * gain[c];
}
