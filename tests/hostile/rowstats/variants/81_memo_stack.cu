#include "memo.cuh"

// The memo is an array that nobody initialises: on the emulation it lies on a fiber's stack, which was used again.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  Note note;
  Note* volatile unseen = &note;  // what it holds is whatever was there
  const int row = row_of_thread();
  if (row >= rows) return;
  answer_with_note(x, sum, largest, row, columns, *unseen);
}
