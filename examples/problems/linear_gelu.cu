// A first kernel of linear_gelu: one thread an element of the result.
__global__ void linear_gelu(const float* x, const float* linear_weight, const float* linear_bias, float* out, long long batch,
                            long long features) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= batch * 1024) return;
  const long long row = i / 1024, hidden = i % 1024;
  float sum = 0;
  for (long long k = 0; k < features; ++k) sum += x[row * features + k] * linear_weight[hidden * features + k];
  sum += linear_bias[hidden];
  out[i] = 0.5f * sum * (1 + erff(sum * 0.70710678f));
}
