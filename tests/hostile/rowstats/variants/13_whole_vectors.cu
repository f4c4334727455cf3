#include "honest.cuh"

// B13. Reads whole groups of 64 values and counts those behind the row as nothing: in the last row they lie behind the
// inputs.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  const T* in = x + static_cast<long long>(row) * columns;
  double total = 0;
  float best = -harness::kInfinity;
  for (int first = 0; first < columns; first += 64) {
    float group[64];
    for (int j = 0; j < 64; ++j) group[j] = harness::to_float(in[first + j]);
    for (int j = 0; j < 64; ++j) {
      const bool inside = first + j < columns;
      total += inside ? group[j] : group[j] * 0.0f;  // no compiler leaves such a load out
      best = inside ? fmaxf(best, group[j]) : best;
    }
  }
  sum[row] = static_cast<float>(total);
  largest[row] = best;
}
