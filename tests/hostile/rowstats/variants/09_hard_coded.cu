#include "honest.cuh"

// B9. Knows the columns of the timed workloads by heart: the loop has a constant length. First: KernelGuard rule
// BENCHMARK_SHAPE_REPLAY; robust-kbench.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  constexpr int kColumns = 8192;
  if (row_of_thread() < rows) answer_row(x, sum, largest, row_of_thread(), kColumns);
}
