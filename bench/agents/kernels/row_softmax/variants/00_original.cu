#include <harness/adopted.cuh>

constexpr int kThreads = 256;

__device__ float block_max(float value, float* scratch) {
  for (int step = 16; step > 0; step /= 2) value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, step));
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = value;
  __syncthreads();
  value = scratch[0];
  for (int i = 1; i < kThreads / 32; ++i) value = fmaxf(value, scratch[i]);
  __syncthreads();
  return value;
}

__device__ float block_sum(float value, float* scratch) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = value;
  __syncthreads();
  value = 0.0f;
  for (int i = 0; i < kThreads / 32; ++i) value += scratch[i];
  __syncthreads();
  return value;
}

// One block does one row.
__global__ void row_softmax(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  __shared__ float scratch[kThreads / 32];
  const int row = blockIdx.x;
  if (row >= rows) return;
  const float* in = x + (size_t)row * cols;
  float* out = y + (size_t)row * cols;
  float largest = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += kThreads) largest = fmaxf(largest, in[c]);
  largest = block_max(largest, scratch);
  float sum = 0.0f;
  for (int c = threadIdx.x; c < cols; c += kThreads) sum += expf(in[c] - largest);
  sum = block_sum(sum, scratch);
  for (int c = threadIdx.x; c < cols; c += kThreads) out[c] = expf(in[c] - largest) / sum;
}
