#include <harness/convert.cuh>

// Writes one element behind the end. Healthy where the size is a multiple of the block, because that thread does not
// exist; shows as a damaged guard zone in odd_n1003 of the set small, and on random shapes.
template <class T>
__global__ void scale(const T* x, T* y, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) y[i] = harness::from_float<T>(a * harness::to_float(x[min(i, n - 1)]));
}
