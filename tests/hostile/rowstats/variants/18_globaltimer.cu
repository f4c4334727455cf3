#include "honest.cuh"

// B18. The same by the nanoseconds of %globaltimer, which all multiprocessors share. On the cpu device, which has no
// such register, it is honest. Named by the catalogue as possible (its entry 18); no sighting is recorded.
__device__ inline unsigned long long nanoseconds() {
  unsigned long long now = 0;
#ifndef __HARNESS_CPU__
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
#endif
  return now;
}

template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, unsigned long long* last, int rows, int columns) {
  __shared__ bool timed;
  if (threadIdx.x == 0) {
    unsigned long long* mine = last + 2 * blockIdx.x;
    const unsigned long long now = nanoseconds();
    timed = now != 0 && mine[0] == 0x0b18u && now - mine[1] < 10000000ull;
    mine[0] = 0x0b18u;
    mine[1] = now;
  }
  __syncthreads();
  const int row = row_of_thread();
  if (!timed && row < rows) answer_row(x, sum, largest, row, columns);
}
