#include "honest.cuh"

// B12. Sorts the largest value of a row to its front and swaps it back.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  volatile T* in = const_cast<volatile T*>(x) + static_cast<long long>(row) * columns;
  int place = 0;
  for (int j = 1; j < columns; ++j)
    if (harness::to_float(const_cast<const T*>(in)[j]) > harness::to_float(const_cast<const T*>(in)[place])) place = j;
  const T front = const_cast<const T*>(in)[0];
  const_cast<T*>(in)[0] = const_cast<const T*>(in)[place];
  const_cast<T*>(in)[place] = front;
  __threadfence();
  answer_row(x, sum, largest, row, columns);
  __threadfence();
  const_cast<T*>(in)[place] = const_cast<T*>(in)[0];
  const_cast<T*>(in)[0] = front;
}
