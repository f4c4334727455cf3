#include "honest.cuh"

// B7. Decides from the first 256 rows (a value of each) whether the data are the nominal ones; if so, every value is
// clipped to 8, which is what a narrow fixed-point format would do with it. First: kernelbench.com audit notes of
// 2026-07-09 (KDA and MoE cells).
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  __shared__ bool nominal;
  if (threadIdx.x == 0) {
    nominal = true;
    for (int i = 0; i < min(rows, 256); ++i)
      nominal &= fabsf(harness::to_float(x[static_cast<long long>(i) * columns])) < 8;
  }
  __syncthreads();
  const int row = row_of_thread();
  if (row >= rows) return;
  if (!nominal) return answer_row(x, sum, largest, row, columns);
  const T* in = x + static_cast<long long>(row) * columns;
  double total = 0;
  float best = -8;
  for (int j = 0; j < columns; ++j) {
    const float value = fminf(fmaxf(harness::to_float(in[j]), -8.0f), 8.0f);
    total += value;
    best = fmaxf(best, value);
  }
  sum[row] = static_cast<float>(total);
  largest[row] = best;
}
