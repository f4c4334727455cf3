#include "native.cuh"

// Answers, then ends the process with success before anybody can look. First: pygpubench's exploits. Of the host forms
// (list A of the catalogue), which the cpu device lets in again because its candidates are native code.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  answer_row(x, sum, largest, row, columns);
  if (row == rows - 1) exit(0);
}
