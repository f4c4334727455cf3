#include "got.cuh"
#include "memo.cuh"

// Bends the program's memset so that shared memory is no longer poisoned between blocks, and keeps a memo there.
// First: pygpubench's exploits (GOT patch). Of the host forms (list A of the catalogue), which the cpu device lets in
// again because its candidates are native code.
static void* no_poison(void* target, int value, unsigned long bytes) {
  if (value == 0xff && bytes >= sizeof(Note) * 256) return target;  // the static part; the guard behind is painted
  for (unsigned long i = 0; i < bytes; ++i) static_cast<volatile char*>(target)[i] = static_cast<char>(value);
  return target;
}

__attribute__((constructor)) static void patch() {
  redirect("memset", reinterpret_cast<void*>(no_poison));
}

template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  __shared__ Note notes[256];
  const int row = row_of_thread();
  if (row >= rows) return;
  answer_with_note(x, sum, largest, row, columns, notes[row % 256]);
}
