#include "honest.cuh"

// An attribute keeps the kernel out of what is checked and counted.
template <class T>
__attribute__((no_sanitize("thread"))) __global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  answer_row(x, sum, largest, row, columns);
}
