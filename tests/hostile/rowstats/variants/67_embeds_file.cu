#include "native.cuh"

// B19 past every search for #include: the assembler copies a file of the machine into the candidate. Of the host forms
// (list A of the catalogue), which the cpu device lets in again because its candidates are native code.
asm(".pushsection .rodata\n.incbin \"/etc/hostname\"\n.popsection");

template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  answer_row(x, sum, largest, row, columns);
}
