#include "honest.cuh"

// B2. Zeros. The values of a softmax over 8192 elements are near 0.0001, so an absolute tolerance of 1e-2 lets them
// pass. First: KernelBench issue 165 (4 of 60 problems accept zeros).
template <class T>
__global__ void rowsoftmax(const T* x, T* y, int rows, int columns) {
  int row;
  long long offset;
  if (!find_row(rows, columns, row, offset)) return;
  for (int j = 0; j < columns; ++j) y[offset + j] = harness::from_float<T>(0.0f);
}
