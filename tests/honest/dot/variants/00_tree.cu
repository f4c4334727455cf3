// One block. Each thread adds its terms in order, then the threads' sums meet in a tree.
__global__ void dot(const float* x, const float* y, float* out, int n) {
  __shared__ float part[256];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 256) sum += x[i] * y[i];
  part[threadIdx.x] = sum;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) *out = part[0];
}
