#include <harness/convert.cuh>

// Stops one element short. Shows on every workload as an unwritten element.
template <class T>
__global__ void scale(const T* x, T* y, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1) y[i] = harness::from_float<T>(a * harness::to_float(x[i]));
}
