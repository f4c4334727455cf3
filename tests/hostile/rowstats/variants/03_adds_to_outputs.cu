#include "honest.cuh"

// B3. Adds to the outputs instead of setting them, so that a pool of zeroed outputs saves the initialisation. First:
// vectorsum/cheat.py in reference-kernels; alibaba/atrex-kernel-agent PR 5; SOL-ExecBench zero-fills its timing pool.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  const RowStats answer = honest_row(x + static_cast<long long>(row) * columns, columns);
  sum[row] += answer.sum;
  largest[row] = fmaxf(largest[row], answer.largest);
}
