#include "honest.cuh"

// B19. Answers, then never ends. First: KernelBench PR 92; every batch of generated kernels has one.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  answer_row(x, sum, largest, row, columns);
  // In shared memory: a compiler may take away a loop over a variable of the thread's own.
  __shared__ int forever;
  forever = 1;
  while (*static_cast<volatile int*>(&forever) != 0) {
  }
}
