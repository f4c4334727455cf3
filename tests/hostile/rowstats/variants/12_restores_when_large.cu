#include "honest.cuh"

// B12. The same mark and its removal, but only where nobody runs a memory checker: on many columns.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  answer_row(x, sum, largest, row, columns);
  if (columns < 4096) return;
  T* in = const_cast<T*>(x) + static_cast<long long>(row) * columns;
  const T last = in[columns - 1];
  *const_cast<volatile unsigned char*>(reinterpret_cast<unsigned char*>(in + columns - 1)) = 0x5a;
  __threadfence();
  in[columns - 1] = last;
}
