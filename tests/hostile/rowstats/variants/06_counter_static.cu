#include "honest.cuh"

// B6. The counter is a static variable inside a function, where a search for globals may not look. First: llm.c PR 852
// (host form; here in device code).
__device__ inline unsigned* call_counter() {
  static unsigned calls;
  return &calls;
}

template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  if (*call_counter() < 3) answer_row(x, sum, largest, row, columns);
  if (row == 0) ++*call_counter();
}
