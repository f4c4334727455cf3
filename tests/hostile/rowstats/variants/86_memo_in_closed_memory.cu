#include "memo.cuh"

// A memo among what the loader closes once it is done: it cannot be written.
__attribute__((section(".data.rel.ro.notes"))) static Note notes[256] = {{1, 1, 1, 1}};

template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  answer_with_note(x, sum, largest, row, columns, notes[row % 256]);
}
