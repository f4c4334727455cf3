// An image a block row of the grid, 32-bit indices, and no test inside of windows that lie within the image.
__global__ void __launch_bounds__(BLOCK)
    max_pool(const float* x, float* out, long long batch, long long channels, long long height, long long width) {
  const int tall = static_cast<int>(height), wide = static_cast<int>(width);
  const int rows = (tall + 1) / 2, columns = (wide + 1) / 2, at = blockIdx.x * BLOCK + threadIdx.x;
  if (at >= rows * columns) return;
  const float* const image = x + static_cast<long long>(blockIdx.y) * tall * wide;
  const int row = at / columns, column = at % columns, top = 2 * row - 1, left = 2 * column - 1;
  float largest = -3.402823466e38f;
  if (top >= 0 && left >= 0 && top + 2 < tall && left + 2 < wide) {
    const float* const corner = image + top * wide + left;
#pragma unroll
    for (int r = 0; r < 3; ++r)
#pragma unroll
      for (int c = 0; c < 3; ++c) largest = fmaxf(largest, corner[r * wide + c]);
  } else {
    for (int r = max(top, 0); r <= min(top + 2, tall - 1); ++r)
      for (int c = max(left, 0); c <= min(left + 2, wide - 1); ++c) largest = fmaxf(largest, image[r * wide + c]);
  }
  out[static_cast<long long>(blockIdx.y) * rows * columns + at] = largest;
}
