#include <harness/convert.cuh>

// Reads the element behind the one it writes. Shows on every workload of more than one element; where all elements are
// equal it does not show.
template <class T>
__global__ void scale(const T* x, T* y, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = harness::from_float<T>(a * harness::to_float(x[min(i + 1, n - 1)]));
}
