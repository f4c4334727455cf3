#include "honest.cuh"

// B19. Answers, then writes through a wild pointer: on a GPU the context is lost and whatever runs next in the process
// is blamed. First: KernelBench PR 92.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  answer_row(x, sum, largest, row, columns);
  if (row == rows - 1) *reinterpret_cast<volatile int*>(0x40) = row;
}
