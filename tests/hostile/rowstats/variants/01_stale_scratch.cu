#include "honest.cuh"

// B1. Copies its scratch memory, never written, into the outputs: where the reference ran before in the same process,
// an allocator hands out the block that holds its answers. First: KernelBench result_reuse_kernel.py; Sakana.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, const float* scratch, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  sum[row] = scratch[row];
  largest[row] = scratch[rows + row];
}
