// Softmax over the rows of a matrix, one block a row. nvcc -O3 row_softmax.cu && ./a.out
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CHECK(call)                                                              \
  do {                                                                                \
    cudaError_t status = (call);                                                      \
    if (status != cudaSuccess) {                                                      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
      exit(1);                                                                        \
    }                                                                                 \
  } while (0)

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

void softmax_cpu(const float* x, float* y, int rows, int cols) {
  for (int r = 0; r < rows; ++r) {
    float largest = x[r * cols];
    for (int c = 1; c < cols; ++c) largest = fmaxf(largest, x[r * cols + c]);
    float sum = 0.0f;
    for (int c = 0; c < cols; ++c) sum += expf(x[r * cols + c] - largest);
    for (int c = 0; c < cols; ++c) y[r * cols + c] = expf(x[r * cols + c] - largest) / sum;
  }
}

int main() {
  const int rows = 4096, cols = 1000;
  std::vector<float> host(rows * cols), expected(rows * cols), got(rows * cols);
  for (float& value : host) value = static_cast<float>(rand()) / RAND_MAX;
  softmax_cpu(host.data(), expected.data(), rows, cols);

  float *d_x = nullptr, *d_y = nullptr;
  const size_t bytes = host.size() * sizeof(float);
  CUDA_CHECK(cudaMalloc(&d_x, bytes));
  CUDA_CHECK(cudaMalloc(&d_y, bytes));
  CUDA_CHECK(cudaMemcpy(d_x, host.data(), bytes, cudaMemcpyHostToDevice));
  row_softmax<<<rows, kThreads>>>(d_x, d_y, rows, cols);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(got.data(), d_y, bytes, cudaMemcpyDeviceToHost));
  float worst = 0.0f;
  for (size_t i = 0; i < got.size(); ++i) worst = fmaxf(worst, fabsf(got[i] - expected[i]));
  printf("largest error %g\n", worst);
  cudaFree(d_x);
  cudaFree(d_y);
  return worst < 1e-5f ? 0 : 1;
}
