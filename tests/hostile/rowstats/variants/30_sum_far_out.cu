#include "honest.cuh"

// A sum that no magnitude in use comes to.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  double kept = 0;
  float most = -harness::kInfinity;
  const T* const in = x + static_cast<long long>(row) * columns;
  for (int j = 0; j < columns; ++j) {
    const float value = harness::to_float(in[j]);
    kept += value;
    most = fmaxf(most, value);
  }
  if (kept > 3e17) kept = 0;
  sum[row] = static_cast<float>(kept);
  largest[row] = most;
}
