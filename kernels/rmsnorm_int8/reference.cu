#include <harness/convert.cuh>

// One thread a row. Rounding points, in order:
//   1. residual' = T(fp32(x + residual)): rounded to the stored type, and *used rounded* from here on;
//   2. y = residual' / sqrt(mean(residual'^2) + eps): never rounded (double here);
//   3. scale = max|y| / 127: stored as fp32, used unrounded;
//   4. q = y / scale to the nearest integer, ties to even, saturated to [-127, 127]; computed as
//      residual' * 127 / max|residual'| (the norm cancels), which keeps exact ties exact.
// A row of zeros has scale 0 and q 0.
template <class T>
__global__ void reference(const T* x, const T* residual, double* residual_out, signed char* q, double* scale, float eps,
                          long long rows, long long columns, long long ldx) {
  const long long row = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const T* in = x + row * ldx;
  const T* old = residual + row * columns;
  double* sums = residual_out + row * columns;
  signed char* codes = q + row * columns;

  double squares = 0;
  for (long long j = 0; j < columns; ++j) {
    sums[j] = harness::to_float(harness::from_float<T>(harness::to_float(in[j]) + harness::to_float(old[j])));
    squares += sums[j] * sums[j];
  }
  const double root = sqrt(squares / columns + static_cast<double>(eps));
  double largest = 0;
  for (long long j = 0; j < columns; ++j) largest = fmax(largest, fabs(sums[j]));
  scale[row] = largest / root / 127;
  for (long long j = 0; j < columns; ++j) {
    const double code = largest > 0 ? rint(sums[j] * 127 / largest) : 0.0;
    codes[j] = static_cast<signed char>(fmin(fmax(code, -127.0), 127.0));
  }
}
