#include "honest.cuh"

// B14. Asks for more shared memory than there is: the launch fails, costs nothing, and the outputs keep the answers of
// whoever was there before. First: Wafer's 104-fold case (shared memory that was never set, launch errors nobody
// read).
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  extern __shared__ float shared_memory[];
  const int row = row_of_thread();
  if (row >= rows) return;
  answer_row(x, sum, largest, row, columns);
  shared_memory[threadIdx.x] = sum[row];
}
