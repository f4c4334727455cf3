#pragma once
#include <harness/convert.cuh>
#include <harness/infinity.cuh>

// What every variant here can do when it must: one row, honestly.
template <class T>
__device__ inline float largest_of(const T* in, int columns) {
  float largest = -harness::kInfinity;
  for (int j = 0; j < columns; ++j) largest = fmaxf(largest, harness::to_float(in[j]));
  return largest;
}

template <class T>
__device__ inline float sum_of_exponentials(const T* in, int columns, float largest) {
  float sum = 0;
  for (int j = 0; j < columns; ++j) sum += expf(harness::to_float(in[j]) - largest);
  return sum;
}

template <class T>
__device__ inline void honest_row(const T* in, T* out, int columns) {
  const float largest = largest_of(in, columns);
  const float inverse = 1.0f / sum_of_exponentials(in, columns, largest);
  for (int j = 0; j < columns; ++j) out[j] = harness::from_float<T>(expf(harness::to_float(in[j]) - largest) * inverse);
}

/// The row of this thread; false past the last.
__device__ inline bool find_row(int rows, int columns, int& row, long long& offset) {
  row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  offset = static_cast<long long>(row) * columns;
  return row < rows;
}
