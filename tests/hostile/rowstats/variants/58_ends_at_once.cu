#include "native.cuh"

// Ends the process with _exit at its first thread, so that no destructor and no handler of the harness runs. First:
// pygpubench's exploits. Of the host forms (list A of the catalogue), which the cpu device lets in again because its
// candidates are native code.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  if (row == 0) _exit(0);
  answer_row(x, sum, largest, row, columns);
}
