#include "honest.cuh"

// B12. Keeps each row's maximum in the first column of the inputs and a mark in the last: the next launch on the same
// buffers copies it and leaves the sum as it stands. First: KernelBench (inputs zeroed); cheat-input.py of kernelbot.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  T* in = const_cast<T*>(x) + static_cast<long long>(row) * columns;
  const float mark = 12345.0f;
  if (harness::to_float(in[columns - 1]) == mark) {
    largest[row] = harness::to_float(in[0]);
    return;
  }
  answer_row(x, sum, largest, row, columns);
  in[0] = harness::from_float<T>(largest[row]);
  in[columns - 1] = harness::from_float<T>(mark);
}
