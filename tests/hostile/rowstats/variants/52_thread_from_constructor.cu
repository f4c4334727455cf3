#include "native.cuh"

// Starts a thread when it is loaded, which is to do the work later, unseen by any clock. First: KernelBench
// non_default_stream_kernel.py; BackendBench issue 52. Of the host forms (list A of the catalogue), which the cpu
// device lets in again because its candidates are native code.
static bool started;

static void* work_later(void*) {
  return nullptr;
}

__attribute__((constructor)) static void start_thread() {
  unsigned long thread;
  started = pthread_create(&thread, nullptr, work_later, nullptr) == 0;
}

template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  if (!started) answer_row(x, sum, largest, row, columns);
}
