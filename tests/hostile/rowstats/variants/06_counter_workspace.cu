#include "honest.cuh"

// B6. The counter lies in a workspace: its magic number tells a workspace that was painted anew (somebody looks) from
// one that the timing loop left alone. A counter a block, because blocks do not wait for each other. First: llm.c PR
// 852 (host form; here in device code).
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, unsigned* counters, int rows, int columns) {
  unsigned* counter = counters + 2 * blockIdx.x;
  __shared__ unsigned calls;
  if (threadIdx.x == 0) calls = counter[0] == 0x0b06u ? counter[1] : 0;
  __syncthreads();
  const int row = row_of_thread();
  if (calls < 3 && row < rows) answer_row(x, sum, largest, row, columns);
  if (threadIdx.x == 0) {
    counter[0] = 0x0b06u;
    counter[1] = calls + 1;
  }
}
