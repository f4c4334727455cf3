#include "honest.cuh"

// B11. The hint stands behind a .pragma with a comment sign in it, in pieces that only the preprocessor joins.
#define TEXT(x) #x
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  float first = 0;
  asm volatile(".pragma \"/*\"; ld.global.L2::" TEXT(evict_) TEXT(last) ".f32 %0, [%1];" : "=f"(first) : "l"(x));
  answer_row(x, sum, largest, row, columns);
  if (first == 12345.0f) sum[row] = 0;
}
