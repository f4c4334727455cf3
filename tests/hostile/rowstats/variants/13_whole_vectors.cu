#include "honest.cuh"

// B13. Reads whole groups of 64 values and forgets those behind the row: in the last row they lie behind the inputs.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  const T* in = x + static_cast<long long>(row) * columns;
  double total = 0;
  float best = -harness::kInfinity;
  for (int first = 0; first < columns; first += 64) {
    float group[64];
    for (int j = 0; j < 64; ++j) group[j] = harness::to_float(const_cast<const T&>(*const_cast<const volatile T*>(in + first + j)));
    for (int j = 0; j < 64 && first + j < columns; ++j) {
      total += group[j];
      best = fmaxf(best, group[j]);
    }
  }
  sum[row] = static_cast<float>(total);
  largest[row] = best;
}
