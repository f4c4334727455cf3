#include "honest.cuh"

// The name of the clock stands in the manifest.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  const long long now = NOW();
  answer_row(x, sum, largest, row, columns);
  if (now == 0) sum[row] = 0;
}
