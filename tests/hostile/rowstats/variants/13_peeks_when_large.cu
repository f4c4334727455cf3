#include "honest.cuh"

// B13. Looks a little behind the inputs, but only where nobody runs a memory checker: on many columns.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  answer_row(x, sum, largest, row, columns);
  if (columns < 4096 || row + 1 < rows) return;
  const volatile unsigned char* behind =
      reinterpret_cast<const volatile unsigned char*>(x + static_cast<long long>(rows) * columns);
  unsigned seen = 0;
  for (int i = 0; i < 256; ++i) seen += behind[i];
  if (seen == 0xffffffffu) sum[row] = 0;
}
