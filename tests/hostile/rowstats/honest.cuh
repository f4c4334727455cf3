#pragma once
#include <harness/convert.cuh>
#include <harness/infinity.cuh>

// What every variant here can do when it must: the honest answer for one row. Attackers fall back on it wherever they
// think that somebody looks.
struct RowStats {
  float sum, largest;
};

template <class T>
__device__ inline RowStats honest_row(const T* in, int columns) {
  double sum = 0;
  float largest = -harness::kInfinity;
  for (int j = 0; j < columns; ++j) {
    const float value = harness::to_float(in[j]);
    sum += value;
    largest = fmaxf(largest, value);
  }
  return {static_cast<float>(sum), largest};
}

template <class T>
__device__ inline void answer_row(const T* x, float* sum, float* largest, int row, int columns) {
  const RowStats answer = honest_row(x + static_cast<long long>(row) * columns, columns);
  sum[row] = answer.sum;
  largest[row] = answer.largest;
}

__device__ inline int row_of_thread() {
  return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}
