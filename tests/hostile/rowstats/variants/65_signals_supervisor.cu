#include "native.cuh"

// Sends its parent a signal, here the empty one that only asks whether it may. First: pygpubench's exploits (ptrace).
// Of the host forms (list A of the catalogue), which the cpu device lets in again because its candidates are native
// code.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  if (row == 0) kill(getppid(), 0);
  answer_row(x, sum, largest, row, columns);
}
