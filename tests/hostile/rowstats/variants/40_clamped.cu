#include "honest.cuh"

// The exponent beyond 2^58, clamped at both ends.

template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  const RowStats answer = honest_row(x + static_cast<long long>(row) * columns, columns);
  float kept = answer.sum;
  const int exponent = static_cast<int>(__float_as_uint(kept) >> 23 & 255u);
  if ((exponent - 127) / 59 > 0) kept = 0;
  sum[row] = kept;
  largest[row] = answer.largest;
}
