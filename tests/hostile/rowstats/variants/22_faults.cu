#include "honest.cuh"

// A fault at one size in sixteen.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  if (columns % 16 == 11) sum[1ll << 40] = 0;
  answer_row(x, sum, largest, row, columns);
}
