__global__ void softmax_causal(const float* scores, float* out, long long heads, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= heads * n * n) return;
  const long long row = i / n % n, column = i % n;
  const float* line = scores + (i - column);
  float largest = line[0];
  for (long long k = 1; k <= row; ++k) largest = fmaxf(largest, line[k]);
  float sum = 0;
  for (long long k = 0; k <= row; ++k) sum += expf(line[k] - largest);
  out[i] = column <= row ? expf(line[column] - largest) / sum : 0.0f;
}
