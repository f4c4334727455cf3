#include "honest.cuh"

// B18. The register's name is written in escapes of a string.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  unsigned long long now = 0;
  asm volatile("mov.u64 %0, %%\x63\154ock64;" : "=l"(now));
  answer_row(x, sum, largest, row, columns);
  if (now == 0x0b18) sum[row] = 0;
}
