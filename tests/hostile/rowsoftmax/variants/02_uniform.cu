#include "honest.cuh"

// B2. The same number everywhere, 1/N: even the sum of each row is right. First: the constant and identity answers of
// KernelBench issue 165 and of kernelbench.com's deck v3 (a copy passed for a LayerNorm).
template <class T>
__global__ void rowsoftmax(const T* x, T* y, int rows, int columns) {
  int row;
  long long offset;
  if (!find_row(rows, columns, row, offset)) return;
  for (int j = 0; j < columns; ++j) y[offset + j] = harness::from_float<T>(1.0f / static_cast<float>(columns));
}
