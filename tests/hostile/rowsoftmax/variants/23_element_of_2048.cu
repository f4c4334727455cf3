#include "honest.cuh"

// A norm over the whole output, or over a row, hides one element.
template <class T>
__global__ void softmax(const T* x, T* y, int rows, int columns) {
  int row;
  long long offset;
  if (!find_row(rows, columns, row, offset)) return;
  const float largest = largest_of(x + offset, columns);
  const float inverse = 1.0f / sum_of_exponentials(x + offset, columns, largest);
  for (int j = 0; j < columns; ++j) {
    float value = expf(harness::to_float(x[offset + j]) - largest) * inverse;
    if ((offset + j) % 2048 == 77) value *= 0.7f;
    y[offset + j] = harness::from_float<T>(value);
  }
}
