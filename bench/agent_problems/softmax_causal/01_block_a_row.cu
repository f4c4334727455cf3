// A block a row. The row is kept in registers; columns behind the diagonal are neither loaded nor raised.
constexpr int ITEMS = (1024 + BLOCK - 1) / BLOCK;

__device__ float over_block(float value, bool sum, float* partial) {
  for (int step = 16; step > 0; step /= 2) {
    const float other = __shfl_xor_sync(0xffffffffu, value, step);
    value = sum ? value + other : fmaxf(value, other);
  }
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = partial[0];
#pragma unroll
  for (int warp = 1; warp < BLOCK / 32; ++warp) value = sum ? value + partial[warp] : fmaxf(value, partial[warp]);
  return value;
}

__global__ void __launch_bounds__(BLOCK) softmax_causal(const float* scores, float* out, long long heads, long long n) {
  __shared__ float maxima[BLOCK / 32], sums[BLOCK / 32];
  const int width = static_cast<int>(n), row = static_cast<int>(blockIdx.x) % width;
  const long long first = static_cast<long long>(blockIdx.x) * width;
  float kept[ITEMS], largest = -3.402823466e38f;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int column = i * BLOCK + threadIdx.x;
    kept[i] = column <= row ? scores[first + column] : -3.402823466e38f;
    largest = fmaxf(largest, kept[i]);
  }
  largest = over_block(largest, false, maxima);
  float sum = 0;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    kept[i] = i * BLOCK + static_cast<int>(threadIdx.x) <= row ? __expf(kept[i] - largest) : 0.0f;
    sum += kept[i];
  }
  const float scale = 1.0f / over_block(sum, true, sums);
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int column = i * BLOCK + threadIdx.x;
    if (column < width) out[first + column] = kept[i] * scale;
  }
}
