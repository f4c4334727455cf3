#include "memo.cuh"

// B4. The memo lies in constant memory, written through its generic address. Found by strangers on an H200, where it
// passed.
__constant__ Note notes[1024];

template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  // A store that the compiler sees, it makes a trap of: so the address could be another's.
  Note* const own = rows < (1 << 30) ? const_cast<Note*>(notes) + row % 1024 : reinterpret_cast<Note*>(sum);
  answer_with_note(x, sum, largest, row, columns, *own);
}
