#include "honest.cuh"

// Only some forms of the inputs make it trap.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  const RowStats answer = honest_row(x + static_cast<long long>(row) * columns, columns);
  if (answer.largest > 400.0f) __trap();
  sum[row] = answer.sum;
  largest[row] = answer.largest;
}
