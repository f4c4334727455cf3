#include "honest.cuh"

// B7. Never subtracts the maximum: right for every value that a unit normal draws, infinite above 88. First:
// kernelbench.com audit notes of 2026-07-09 (KDA and MoE cells).
template <class T>
__global__ void rowsoftmax(const T* x, T* y, int rows, int columns) {
  int row;
  long long offset;
  if (!find_row(rows, columns, row, offset)) return;
  const float inverse = 1.0f / sum_of_exponentials(x + offset, columns, 0);
  for (int j = 0; j < columns; ++j)
    y[offset + j] = harness::from_float<T>(expf(harness::to_float(x[offset + j])) * inverse);
}
