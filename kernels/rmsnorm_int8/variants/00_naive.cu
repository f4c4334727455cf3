#include <harness/convert.cuh>

// Idea: one thread a row, two passes: add, round and measure; then quantize.
// Cost: neighbouring threads read addresses a row apart, so every element costs a memory sector of its own, and the
// second pass reads residual back.
// Stops: at T threads: a decode step of 64 rows is two warps on a device that holds thousands.
template <class T>
__global__ void rmsnorm(const T* x, T* residual, signed char* q, float* scale, float eps, int rows, int columns,
                        int ldx) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const T* in = x + static_cast<long long>(row) * ldx;
  T* sums = residual + static_cast<long long>(row) * columns;
  signed char* codes = q + static_cast<long long>(row) * columns;

  float squares = 0, largest = 0;
  for (int j = 0; j < columns; ++j) {
    sums[j] = harness::from_float<T>(harness::to_float(in[j]) + harness::to_float(sums[j]));
    const float r = harness::to_float(sums[j]);  // rounded: the norm is of what is stored
    squares += r * r;
    largest = fmaxf(largest, fabsf(r));
  }
  scale[row] = largest / sqrtf(squares / columns + eps) / 127.0f;

  // The norm cancels in y / scale = residual * 127 / max|residual|. In a row of zeros every code is 0 / 1.
  const float divisor = largest > 0 ? largest : 1.0f;
  for (int j = 0; j < columns; ++j) {
    const int code = __float2int_rn(harness::to_float(sums[j]) * 127.0f / divisor);
    codes[j] = static_cast<signed char>(min(max(code, -127), 127));
  }
}
