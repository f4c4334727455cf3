#include "native.cuh"

// Jumps out of its own thread of the block into the frame of one that has ended, to be done without having worked. Not
// seen elsewhere: only the emulation has frames to jump to. Of the host forms (list A of the catalogue), which the cpu
// device lets in again because its candidates are native code.
static thread_local unsigned long long frame[25];  // a jmp_buf

__attribute__((noinline)) static void leave() {
  longjmp(frame, 1);
}

template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  if (threadIdx.x == 0) {
    if (_setjmp(frame) != 0) return;
  } else {
    leave();
  }
  const int row = row_of_thread();
  if (row < rows) answer_row(x, sum, largest, row, columns);
}
