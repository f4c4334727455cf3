#include "honest.cuh"

// B10. Rounds every exponential of an fp32 softmax to fp16. First: kernelbench.com deck v3; CUDA-Agent issue 16.
template <class T>
__global__ void rowsoftmax(const T* x, T* y, int rows, int columns) {
  int row;
  long long offset;
  if (!find_row(rows, columns, row, offset)) return;
  const float largest = largest_of(x + offset, columns);
  float total = 0;
  for (int j = 0; j < columns; ++j)
    total += harness::to_float(harness::from_float<__half>(expf(harness::to_float(x[offset + j]) - largest)));
  for (int j = 0; j < columns; ++j) {
    const __half value = harness::from_float<__half>(expf(harness::to_float(x[offset + j]) - largest));
    y[offset + j] = harness::from_float<T>(harness::to_float(value) / total);
  }
}
