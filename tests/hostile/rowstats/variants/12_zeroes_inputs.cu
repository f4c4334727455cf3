#include "honest.cuh"

// B12. Zeroes the inputs and answers zero: a reference that is computed afterwards from the same buffers agrees.
// First: KernelBench (inputs zeroed); cheat-input.py of kernelbot.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  T* in = const_cast<T*>(x) + static_cast<long long>(row) * columns;
  for (int j = 0; j < columns; ++j) in[j] = harness::from_float<T>(0.0f);
  sum[row] = largest[row] = 0;
}
