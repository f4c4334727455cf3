#include "honest.cuh"

// B5. Works only where the output holds a NaN, which is what a checker paints before it looks; a timed launch finds
// the numbers of the launch before. First: AgentKernelArena PR 113.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  if (sum[row] == sum[row] && largest[row] == largest[row]) return;
  answer_row(x, sum, largest, row, columns);
}
