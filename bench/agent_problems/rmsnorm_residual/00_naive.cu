__global__ void rmsnorm_residual(const float* x, const float* residual, const float* gain, float* out, long long rows,
                                 long long hidden) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= rows * hidden) return;
  const long long row = i / hidden, column = i % hidden;
  float squares = 0;
  for (long long k = 0; k < hidden; ++k) {
    const float total = x[row * hidden + k] + residual[row * hidden + k];
    squares += total * total;
  }
  const float total = x[i] + residual[i];
  out[i] = total * rsqrtf(squares / hidden + 1e-5f) * gain[column];
}
