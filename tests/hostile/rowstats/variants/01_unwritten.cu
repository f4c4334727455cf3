#include "honest.cuh"

// B1. Writes nothing: the outputs are the memory that the reference has just freed, or that the last right launch
// filled. First seen as result_reuse_kernel.py in KernelBench, and as "memory reuse" of Sakana's CUDA Engineer.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  if (rows < 0) answer_row(x, sum, largest, row_of_thread(), columns);  // never: the parameters are only kept alive
}
