// Four neighbours a thread: one load of sixteen bytes for them and three floats before them; no division.
__device__ float silu(float v) { return v / (1.0f + __expf(-v)); }

__global__ void __launch_bounds__(BLOCK)
    conv1d_causal(const float* x, const float* weight_, const float* bias, float* out, long long batch,
                  long long channels, long long length) {
  const int size = static_cast<int>(length);
  const long long line = static_cast<long long>(blockIdx.y) + static_cast<long long>(blockIdx.z) * gridDim.y;
  const int channel = static_cast<int>(blockIdx.y);
  const float* const in = x + line * size;
  float taps[4];
#pragma unroll
  for (int tap = 0; tap < 4; ++tap) taps[tap] = weight_[channel * 4 + tap];
  const float start = bias[channel];
  const int at = 4 * (blockIdx.x * BLOCK + threadIdx.x);
  if (at >= size) return;
  float seen[7];
#pragma unroll
  for (int i = 0; i < 3; ++i) seen[i] = at - 3 + i >= 0 ? in[at - 3 + i] : 0.0f;
  if (size % 4 == 0) {
    const float4 four = *reinterpret_cast<const float4*>(in + at);
    seen[3] = four.x, seen[4] = four.y, seen[5] = four.z, seen[6] = four.w;
  } else {
#pragma unroll
    for (int i = 3; i < 7; ++i) seen[i] = at - 3 + i < size ? in[at - 3 + i] : 0.0f;
  }
  float sums[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    sums[i] = start;
#pragma unroll
    for (int tap = 0; tap < 4; ++tap) sums[i] += taps[tap] * seen[i + tap];
    sums[i] = silu(sums[i]);
  }
  if (size % 4 == 0) {
    *reinterpret_cast<float4*>(out + line * size + at) = make_float4(sums[0], sums[1], sums[2], sums[3]);
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      if (at + i < size) out[line * size + at + i] = sums[i];
  }
}
