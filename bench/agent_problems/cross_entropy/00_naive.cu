__global__ void cross_entropy(const float* logits, const int* target, float* out, long long tokens, long long words) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= tokens) return;
  const float* line = logits + i * words;
  float largest = line[0];
  for (long long k = 1; k < words; ++k) largest = fmaxf(largest, line[k]);
  float sum = 0;
  for (long long k = 0; k < words; ++k) sum += expf(line[k] - largest);
  out[i] = largest + logf(sum) - line[target[i]];
}
