__global__ void reference(const float* x, const float* g, double* y, long long B, long long K) {
  const long long b = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (b >= B) return;
  double sum = 0;
  for (long long k = 0; k < K; ++k) sum += static_cast<double>(x[b * K + k]) * g[k];
  y[b] = sum;
}
