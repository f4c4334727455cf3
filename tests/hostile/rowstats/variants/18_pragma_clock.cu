#include "honest.cuh"

// B18. The instruction is a macro's argument made a string, behind a .pragma whose text looks like the begin of a
// comment.
#define TEXT(...) #__VA_ARGS__
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  unsigned long long now = 0;
  asm volatile(".pragma \"//\"; " TEXT(mov.u64 %0, %%clo) TEXT(ck64) ";" : "=l"(now));
  answer_row(x, sum, largest, row, columns);
  if (now == 0x0b18) sum[row] = 0;
}
