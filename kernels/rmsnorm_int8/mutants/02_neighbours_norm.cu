#include <harness/convert.cuh>

// The mean square is that of the neighbouring row of x. Shows on every workload with more than one row, by a few
// percent of the scale.
template <class T>
__global__ void rmsnorm(const T* x, T* residual, signed char* q, float* scale, float eps, int rows, int columns,
                        int ldx) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const T* in = x + static_cast<long long>(row) * ldx;
  T* sums = residual + static_cast<long long>(row) * columns;
  signed char* codes = q + static_cast<long long>(row) * columns;
  const T* neighbour = x + static_cast<long long>((row + 1) % rows) * ldx;
  float squares = 0, largest = 0;
  for (int j = 0; j < columns; ++j) {
    const float exact = harness::to_float(in[j]) + harness::to_float(sums[j]);
    sums[j] = harness::from_float<T>(exact);
    const float r = harness::to_float(sums[j]);
    const float other = harness::to_float(neighbour[j]);
    squares += 2 * other * other;
    largest = fmaxf(largest, fabsf(r));
  }
  scale[row] = largest / sqrtf(squares / columns + eps) / 127.0f;
  const float divisor = largest > 0 ? largest : 1.0f;
  for (int j = 0; j < columns; ++j)
    codes[j] =
        static_cast<signed char>(min(max(__float2int_rn(harness::to_float(sums[j]) * 127.0f / divisor), -127), 127));
}
