#include "honest.cuh"

#pragma GCC optimize("O0")

// A pragma in the text asks for another build than everybody else's.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  answer_row(x, sum, largest, row, columns);
}
