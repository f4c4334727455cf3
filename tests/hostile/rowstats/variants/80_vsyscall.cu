#include "honest.cuh"

// The oldest door to the time: a page that is at the same address in every process, and nothing can unmap it.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  long seconds = 0;
  reinterpret_cast<long (*)(long*)>(0xffffffffff600400ul)(&seconds);
  if (seconds < 0) return;
  const int row = row_of_thread();
  if (row < rows) answer_row(x, sum, largest, row, columns);
}
