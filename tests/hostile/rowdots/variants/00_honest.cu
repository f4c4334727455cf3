// A block for each row, and always the same tree.
__global__ void rowdots(const float* x, const float* g, float* y, int B, int K) {
  __shared__ float part[128];
  float sum = 0;
  for (int k = threadIdx.x; k < K; k += 128) sum += x[static_cast<long long>(blockIdx.x) * K + k] * g[k];
  part[threadIdx.x] = sum;
  for (int half = 64; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) y[blockIdx.x] = part[0];
}
