// Dot product: blocks add their partial sums with atomics.
#include <cstdio>
#include <vector>

template <int BLOCK>
__global__ void dot(const float* a, const float* b, float* result, int n) {
  extern __shared__ float partial[];
  float sum = 0.f;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += BLOCK * gridDim.x) sum += a[i] * b[i];
  partial[threadIdx.x] = sum;
  __syncthreads();
#pragma unroll
  for (int half = BLOCK / 2; half > 0; half >>= 1) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(result, partial[0]);
}

float dot_reference(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += double(a[i]) * b[i];
  return float(sum);
}

int main() {
  int n = 1 << 20;
  std::vector<float> a(n, 0.5f), b(n, 2.0f);
  float *d_a, *d_b, *d_result;
  cudaMalloc(&d_a, n * sizeof(float));
  cudaMalloc(&d_b, n * sizeof(float));
  cudaMalloc(&d_result, sizeof(float));
  cudaMemcpy(d_a, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(d_result, 0, sizeof(float));
  const int threads = 256;
  const int blocks = 64;
  dot<threads><<<blocks, threads, threads * sizeof(float)>>>(d_a, d_b, d_result, n);
  float got = 0;
  cudaMemcpy(&got, d_result, sizeof(float), cudaMemcpyDeviceToHost);
  printf("%f, expected %f\n", got, dot_reference(a, b));
}
