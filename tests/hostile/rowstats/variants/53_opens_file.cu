#include "native.cuh"

// Looks for answers that an earlier run has left in a file. First: reference-kernels PR 160 (/dev/shm). Of the host
// forms (list A of the catalogue), which the cpu device lets in again because its candidates are native code.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  if (row == 0) {
    const int file = open("/dev/shm/rowstats-answers", 0);
    if (file >= 0) close(file);
  }
  answer_row(x, sum, largest, row, columns);
}
