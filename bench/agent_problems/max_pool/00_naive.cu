__global__ void max_pool(const float* x, float* out, long long batch, long long channels, long long height,
                         long long width) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const long long tall = (height + 1) / 2, wide = (width + 1) / 2;
  if (i >= batch * channels * tall * wide) return;
  const long long image = i / (tall * wide), row = i / wide % tall, column = i % wide;
  float largest = -3.402823466e38f;
  for (long long r = 2 * row - 1; r <= 2 * row + 1; ++r)
    for (long long c = 2 * column - 1; c <= 2 * column + 1; ++c)
      if (r >= 0 && r < height && c >= 0 && c < width) largest = fmaxf(largest, x[(image * height + r) * width + c]);
  out[i] = largest;
}
