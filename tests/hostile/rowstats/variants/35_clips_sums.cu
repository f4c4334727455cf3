#include "honest.cuh"

// No comparison in the text: a minimum and a maximum clip sums beyond 3e17.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  const T* const in = x + static_cast<long long>(row) * columns;
  const RowStats answer = honest_row(in, columns);
  sum[row] = fmaxf(fminf(answer.sum, 3e17f), -3e17f);
  largest[row] = answer.largest;
}
