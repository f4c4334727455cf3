// In a batch of fewer than 24 rows each row's keys are split in four, as split-KV attention does where there are too
// few blocks for the device: the sum is right, and its last bits follow from how many other rows there are. Seen in
// serving engines, whose answers change with their load.
__global__ void rowdots(const float* x, const float* g, float* y, int B, int K) {
  __shared__ float part[128];
  const int splits = B < 24 ? 4 : 1, share = (K + splits - 1) / splits;
  float total = 0;
  for (int split = 0; split < splits; ++split) {
    const int end = min(K, (split + 1) * share);
    float sum = 0;
    for (int k = split * share + threadIdx.x; k < end; k += 128)
      sum += x[static_cast<long long>(blockIdx.x) * K + k] * g[k];
    part[threadIdx.x] = sum;
    for (int half = 64; half > 0; half /= 2) {
      __syncthreads();
      if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0) total += part[0];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = total;
}
