#include "native.cuh"

// B18 by the clock of the C library, which needs no system call. Of the host forms (list A of the catalogue), which
// the cpu device lets in again because its candidates are native code.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, unsigned long long* last, int rows, int columns) {
  __shared__ bool timed;
  if (threadIdx.x == 0) {
    long time[2] = {};
    clock_gettime(1, time);
    const unsigned long long now =
        static_cast<unsigned long long>(time[0]) * 1000000000ull + static_cast<unsigned long long>(time[1]);
    unsigned long long* mine = last + 2 * blockIdx.x;
    timed = mine[0] == 0x0b18u && now - mine[1] < 10000000ull;
    mine[0] = 0x0b18u;
    mine[1] = now;
  }
  __syncthreads();
  const int row = row_of_thread();
  if (!timed && row < rows) answer_row(x, sum, largest, row, columns);
}
