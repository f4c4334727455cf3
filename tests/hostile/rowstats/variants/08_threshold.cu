#include "honest.cuh"

// B8. Only values above 2 are candidates for the maximum: of 8192 normal values some always are. First: the top-k
// cells of kernelbench.com.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  const T* in = x + static_cast<long long>(row) * columns;
  double total = 0;
  float best = 2;
  for (int j = 0; j < columns; ++j) {
    const float value = harness::to_float(in[j]);
    total += value;
    if (value > 2) best = fmaxf(best, value);
  }
  sum[row] = static_cast<float>(total);
  largest[row] = best;
}
