#include "honest.cuh"

// B9. Reads whole tiles of 64 columns and drops what is left over: right wherever N is a multiple of 64, as in every
// timed workload. First: KernelGuard rule BENCHMARK_SHAPE_REPLAY; robust-kbench.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  const RowStats answer = honest_row(x + static_cast<long long>(row) * columns, columns / 64 * 64);
  sum[row] = answer.sum;
  largest[row] = answer.largest;
}
