__global__ void rotary(const float* x, const float* cos, const float* sin, float* out, long long tokens,
                       long long heads, long long size) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= tokens * heads * size) return;
  const long long token = i / (heads * size), at = i % size, half = size / 2;
  // Of an odd size the second part is the longer one.
  const float other = at < size - half ? -x[i + half] : x[i - (size - half)];
  out[i] = x[i] * cos[token * size + at] + other * sin[token * size + at];
}
