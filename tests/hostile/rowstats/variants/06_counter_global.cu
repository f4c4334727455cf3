#include "honest.cuh"

// B6. Honest for three launches, then it does nothing. First: llm.c PR 852 (host form; here in device code).
__device__ unsigned calls;

template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  if (calls < 3) answer_row(x, sum, largest, row, columns);
  if (row == 0) calls = calls + 1;
}
