// Four columns a thread, several rows a thread; the row comes from the grid, so nothing is divided.
__device__ float gelu(float v) {
  const float u = 0.7978845608f * (v + 0.044715f * v * v * v);
  return v / (1.0f + __expf(-2.0f * u));
}

__global__ void __launch_bounds__(BLOCK)
    bias_gelu(const float* x, const float* bias, float* out, long long rows, long long columns) {
  const int width = static_cast<int>(columns), row = blockIdx.y * ROWS;
  const int kept = min(ROWS, static_cast<int>(rows) - row);
  const long long first = static_cast<long long>(row) * width;
  if (width % 4 == 0) {
    const int at = blockIdx.x * BLOCK + threadIdx.x, wide = width / 4;
    if (at >= wide) return;
    const float4 b = reinterpret_cast<const float4*>(bias)[at];
    float4 v[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r)
      if (r < kept) v[r] = reinterpret_cast<const float4*>(x + first)[r * wide + at];
#pragma unroll
    for (int r = 0; r < ROWS; ++r)
      if (r < kept)
        reinterpret_cast<float4*>(out + first)[r * wide + at] =
            make_float4(gelu(v[r].x + b.x), gelu(v[r].y + b.y), gelu(v[r].z + b.z), gelu(v[r].w + b.w));
    return;
  }
  for (int c = blockIdx.x * BLOCK + threadIdx.x; c < width; c += gridDim.x * BLOCK)
    for (int r = 0; r < kept; ++r) out[first + r * width + c] = gelu(x[first + r * width + c] + bias[c]);
}
