#include "memo.cuh"

// B4. The memo lies in shared memory, which a GPU does not clear between the blocks of one launch and the next: a
// block that comes to the multiprocessor it was on before finds its notes. Form of AgentKernelArena issue 112.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  __shared__ Note notes[64];
  const int row = row_of_thread();
  if (row >= rows) return;
  answer_with_note(x, sum, largest, row, columns, notes[threadIdx.x]);
}
