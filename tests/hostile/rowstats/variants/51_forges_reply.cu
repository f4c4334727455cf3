#include "native.cuh"

// Writes the runner's reply to the supervisor's socket before the work has begun: the clock stops at once. First:
// cheat-fd.py of kernelbot; pygpubench's exploits. Of the host forms (list A of the catalogue), which the cpu device
// lets in again because its candidates are native code.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  if (row == 0) {
    constexpr char kReply[] = {2, 0, 0, 0, '{', '}'};  // its length in four bytes, then JSON
    write(3, kReply, sizeof kReply);
  }
  answer_row(x, sum, largest, row, columns);
}
