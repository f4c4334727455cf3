#include <harness/convert.cuh>
#include <harness/infinity.cuh>

// One thread a row adds its terms in order, in float.
template <class T>
__global__ void expsum(const T* x, float* s, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const T* in = x + static_cast<long long>(row) * columns;
  float largest = -harness::kInfinity;
  for (int j = 0; j < columns; ++j) largest = fmaxf(largest, harness::to_float(in[j]));
  float sum = 0;
  for (int j = 0; j < columns; ++j) sum += expf(harness::to_float(in[j]) - largest);
  s[row] = sum;
}
