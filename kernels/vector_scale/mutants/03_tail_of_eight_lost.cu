#include <harness/convert.cuh>

// Works on whole groups of eight and forgets the rest. Healthy on the default workloads; shows in odd_n1003 of the set
// small, and on random shapes.
template <class T>
__global__ void scale(const T* x, T* y, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 8 * 8) y[i] = harness::from_float<T>(a * harness::to_float(x[i]));
}
