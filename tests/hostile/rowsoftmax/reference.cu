#include <harness/convert.cuh>

// One thread a row, in double, the maximum subtracted.
template <class T>
__global__ void reference(const T* x, double* y, long long M, long long N) {
  const long long row = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= M) return;
  const T* in = x + row * N;
  double largest = harness::to_float(in[0]), sum = 0;
  for (long long j = 1; j < N; ++j) largest = fmax(largest, static_cast<double>(harness::to_float(in[j])));
  for (long long j = 0; j < N; ++j) sum += exp(harness::to_float(in[j]) - largest);
  for (long long j = 0; j < N; ++j) y[row * N + j] = exp(harness::to_float(in[j]) - largest) / sum;
}
