#include "native.cuh"

// B18 without a clock function: the processor's own counter by inline assembly. Launches a hundredth of a second apart
// are being timed. Of the host forms (list A of the catalogue), which the cpu device lets in again because its
// candidates are native code.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, unsigned long long* last, int rows, int columns) {
  __shared__ bool timed;
  if (threadIdx.x == 0) {
    unsigned low, high;
    asm volatile("rdtsc" : "=a"(low), "=d"(high));
    const unsigned long long now = static_cast<unsigned long long>(high) << 32 | low;
    unsigned long long* mine = last + 2 * blockIdx.x;
    timed = mine[0] == 0x0b18u && now - mine[1] < 30000000ull;
    mine[0] = 0x0b18u;
    mine[1] = now;
  }
  __syncthreads();
  const int row = row_of_thread();
  if (!timed && row < rows) answer_row(x, sum, largest, row, columns);
}
