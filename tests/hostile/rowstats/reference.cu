#include <harness/convert.cuh>

// One thread a row, in double.
template <class T>
__global__ void reference(const T* x, double* sum, double* largest, long long M, long long N) {
  const long long row = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= M) return;
  const T* in = x + row * N;
  sum[row] = 0;
  largest[row] = harness::to_float(in[0]);
  for (long long j = 0; j < N; ++j) {
    const double value = harness::to_float(in[j]);
    sum[row] += value;
    largest[row] = fmax(largest[row], value);
  }
}
