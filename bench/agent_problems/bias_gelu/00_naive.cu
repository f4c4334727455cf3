__global__ void bias_gelu(const float* x, const float* bias, float* out, long long rows, long long columns) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= rows * columns) return;
  const float v = x[i] + bias[i % columns];
  out[i] = 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
}
