// Rows begin at different keys, so that they do not all read the same memory at once: where a row stands in its batch
// is part of its sum.
__global__ void rowdots(const float* x, const float* g, float* y, int B, int K) {
  __shared__ float part[128];
  float sum = 0;
  for (int i = threadIdx.x; i < K; i += 128) {
    const int k = (i + static_cast<int>(blockIdx.x) * 37) % K;
    sum += x[static_cast<long long>(blockIdx.x) * K + k] * g[k];
  }
  part[threadIdx.x] = sum;
  for (int half = 64; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) y[blockIdx.x] = part[0];
}
