#include "native.cuh"

// Leaves a copy of its process behind that could go on working after the clock has stopped. First: BackendBench issue
// 52 (threads). Of the host forms (list A of the catalogue), which the cpu device lets in again because its candidates
// are native code.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  if (row == 0 && fork() == 0) _exit(0);
  answer_row(x, sum, largest, row, columns);
}
