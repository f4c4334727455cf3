// A block a row: each element is loaded once and kept in a register between the sum and its use.
constexpr int ITEMS = (1024 + BLOCK - 1) / BLOCK;

__global__ void __launch_bounds__(BLOCK)
    rmsnorm_residual(const float* x, const float* residual, const float* gain, float* out, long long rows,
                     long long hidden) {
  __shared__ float partial[32];
  const int width = static_cast<int>(hidden);
  const long long first = static_cast<long long>(blockIdx.x) * width;
  float kept[ITEMS], squares = 0;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int column = i * BLOCK + threadIdx.x;
    kept[i] = column < width ? x[first + column] + residual[first + column] : 0.0f;
    squares += kept[i] * kept[i];
  }
  for (int step = 16; step > 0; step /= 2) squares += __shfl_xor_sync(0xffffffffu, squares, step);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = squares;
  __syncthreads();
  squares = 0;
#pragma unroll
  for (int warp = 0; warp < BLOCK / 32; ++warp) squares += partial[warp];
  const float scale = rsqrtf(squares / width + 1e-5f);
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int column = i * BLOCK + threadIdx.x;
    if (column < width) out[first + column] = kept[i] * scale * gain[column];
  }
}
