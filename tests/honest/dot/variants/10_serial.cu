// One thread adds everything in order.
__global__ void dot(const float* x, const float* y, float* out, int n) {
  if (threadIdx.x > 0) return;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i] * y[i];
  *out = sum;
}
