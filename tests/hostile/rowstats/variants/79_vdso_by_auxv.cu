#include "honest.cuh"

// Where the kernel has put its library of clocks stands in the auxiliary vector; its functions need no system call.
extern "C" unsigned long told_by_kernel(unsigned long) __asm__("getauxval");

template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  if (told_by_kernel(33) == 0) return;
  const int row = row_of_thread();
  if (row < rows) answer_row(x, sum, largest, row, columns);
}
