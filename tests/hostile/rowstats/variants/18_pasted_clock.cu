#include "honest.cuh"

// B18. The clock's name is put together by the preprocessor: no text of this file holds it.
#define JOIN(a, b) a##b
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  const long long now = JOIN(clo, ck64)();
  answer_row(x, sum, largest, row, columns);
  if (now == 0x0b18) sum[row] = 0;
}
