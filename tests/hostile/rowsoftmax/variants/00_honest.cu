#include "honest.cuh"

// The honest baseline: one thread a row.
template <class T>
__global__ void rowsoftmax(const T* x, T* y, int rows, int columns) {
  int row;
  long long offset;
  if (!find_row(rows, columns, row, offset)) return;
  honest_row(x + offset, y + offset, columns);
}
