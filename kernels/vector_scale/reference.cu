#include <harness/convert.cuh>

// y[i] = a * x[i] in double, from the stored x. One thread an element.
template <class T>
__global__ void reference(const T* x, double* y, float a, long long N) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < N) y[i] = static_cast<double>(a) * harness::to_float(x[i]);
}
