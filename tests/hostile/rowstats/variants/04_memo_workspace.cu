#include "memo.cuh"

// B4. The same memo in a workspace, which nobody clears between two timed launches. First: AgentKernelArena issue 112
// (device-side memoisation).
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, Note* notes, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  answer_with_note(x, sum, largest, row, columns, notes[row]);
}
