#include "honest.cuh"

// B18. Times eight loads of its own row. If they come quickly, the launch before has read them too: the buffers are
// being timed warm, and the outputs already hold the answers. Named by the catalogue as possible (its entry 18); no
// sighting is recorded.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  __shared__ bool warm;
  const int row = row_of_thread();
  const T* in = x + static_cast<long long>(min(row, rows - 1)) * columns;
  if (threadIdx.x == 0) {
    long long cycles = 0;
    volatile float sink;
    for (int i = 0; i < 8; ++i) {
      const long long begin = clock64();
      sink = harness::to_float(in[i * columns / 8]);
      cycles += clock64() - begin;
    }
    static_cast<void>(sink);
    warm = cycles < 8 * 120;
  }
  __syncthreads();
  if (!warm && row < rows) answer_row(x, sum, largest, row, columns);
}
