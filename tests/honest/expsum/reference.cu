#include <harness/convert.cuh>

template <class T>
__global__ void reference(const T* x, double* s, long long M, long long N) {
  const long long row = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= M) return;
  double largest = harness::to_float(x[row * N]), sum = 0;
  for (long long j = 1; j < N; ++j) largest = fmax(largest, static_cast<double>(harness::to_float(x[row * N + j])));
  for (long long j = 0; j < N; ++j) sum += exp(harness::to_float(x[row * N + j]) - largest);
  s[row] = sum;
}
