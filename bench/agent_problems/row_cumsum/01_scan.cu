// A block a row: a scan within threads, warps and the block, tile by tile with a carry. Each element is loaded once.
constexpr int TILE = 4 * BLOCK;

__global__ void __launch_bounds__(BLOCK) row_cumsum(const float* x, float* out, long long rows, long long columns) {
  __shared__ float totals[BLOCK / 32];
  const int wide = static_cast<int>(columns), lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const long long first = static_cast<long long>(blockIdx.x) * wide;
  float carry = 0;
  for (int tile = 0; tile < wide; tile += TILE) {
    const int at = tile + 4 * static_cast<int>(threadIdx.x);
    float4 v = make_float4(0, 0, 0, 0);
    if (wide % 4 == 0) {
      if (at < wide) v = *reinterpret_cast<const float4*>(x + first + at);
    } else {
      if (at < wide) v.x = x[first + at];
      if (at + 1 < wide) v.y = x[first + at + 1];
      if (at + 2 < wide) v.z = x[first + at + 2];
      if (at + 3 < wide) v.w = x[first + at + 3];
    }
    v.y += v.x, v.z += v.y, v.w += v.z;
    float before = v.w;
    for (int step = 1; step < 32; step *= 2) {
      const float other = __shfl_up_sync(0xffffffffu, before, step);
      if (lane >= step) before += other;
    }
    if (lane == 31) totals[warp] = before;
    __syncthreads();
    float offset = carry + before - v.w;
#pragma unroll
    for (int i = 0; i < BLOCK / 32; ++i) {
      if (i < warp) offset += totals[i];
      carry += totals[i];
    }
    __syncthreads();
    v.x += offset, v.y += offset, v.z += offset, v.w += offset;
    if (wide % 4 == 0) {
      if (at < wide) *reinterpret_cast<float4*>(out + first + at) = v;
    } else {
      if (at < wide) out[first + at] = v.x;
      if (at + 1 < wide) out[first + at + 1] = v.y;
      if (at + 2 < wide) out[first + at + 2] = v.z;
      if (at + 3 < wide) out[first + at + 3] = v.w;
    }
  }
}
