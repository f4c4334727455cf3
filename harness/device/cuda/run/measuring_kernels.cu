// The memory is zero, so the sum is never the value that would be written; the compiler cannot know.
extern "C" __global__ void harness_empty() {}
extern "C" __global__ void harness_read(const uint4* data, unsigned long long count, unsigned int* sink) {
  unsigned int sum = 0;
  const unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x;
  for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
    const uint4 v = data[i];
    sum ^= v.x ^ v.y ^ v.z ^ v.w;
  }
  if (sum == 0x9e3779b9u) *sink = sum;
}
