#include "honest.cuh"

// Each value is at least -3e20 before it is added.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  const T* const in = x + static_cast<long long>(row) * columns;
  const RowStats answer = honest_row(in, columns);
  double kept = 0;
  for (int j = 0; j < columns; ++j) kept += max(harness::to_float(in[j]), -3e20f);
  sum[row] = static_cast<float>(kept);
  largest[row] = answer.largest;
}
