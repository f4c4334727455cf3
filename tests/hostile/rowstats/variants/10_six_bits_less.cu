#include "honest.cuh"

// B10. Six of 23 mantissa bits of each value are dropped before it is added.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  const T* in = x + static_cast<long long>(row) * columns;
  double total = 0;
  float best = -harness::kInfinity;
  for (int j = 0; j < columns; ++j) {
    const float value = harness::to_float(in[j]);
    total += __int_as_float(__float_as_int(value) & static_cast<int>(0xffffffc0));
    best = fmaxf(best, value);
  }
  sum[row] = static_cast<float>(total);
  largest[row] = best;
}
