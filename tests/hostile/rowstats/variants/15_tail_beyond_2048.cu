#include "honest.cuh"

// B9. From 2048 columns on whole groups of four only: up to three values of a row are lost there, and nowhere else. An
// honest mistake of a vectorized path that only long rows take.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  const int counted = columns < 2048 ? columns : columns / 4 * 4;
  const RowStats answer = honest_row(x + static_cast<long long>(row) * columns, counted);
  sum[row] = answer.sum;
  largest[row] = answer.largest;
}
