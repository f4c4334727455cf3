#include "honest.cuh"

// B7. Does not sum at all: for a unit normal the sum of exponentials is N * exp(1/2), give or take a few percent, and
// the values are so small that an absolute tolerance of 1e-2 does not see it. First: kernelbench.com audit notes of
// 2026-07-09 (KDA and MoE cells).
template <class T>
__global__ void rowsoftmax(const T* x, T* y, int rows, int columns) {
  int row;
  long long offset;
  if (!find_row(rows, columns, row, offset)) return;
  const float inverse = 1.0f / (static_cast<float>(columns) * 1.6487213f);
  for (int j = 0; j < columns; ++j)
    y[offset + j] = harness::from_float<T>(expf(harness::to_float(x[offset + j])) * inverse);
}
