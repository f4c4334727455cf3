#include "honest.cuh"

// B18. Launches that follow each other within a hundredth of a second are being timed: nothing is done then, and the
// outputs of the launch before stand. Named by the catalogue as possible (its entry 18); no sighting is recorded.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, unsigned long long* last, int rows, int columns) {
  __shared__ bool timed;
  if (threadIdx.x == 0) {
    unsigned long long* mine = last + 2 * blockIdx.x;
    const unsigned long long now = static_cast<unsigned long long>(clock64());
    timed = mine[0] == 0x0b18u && now - mine[1] < 30000000ull;
    mine[0] = 0x0b18u;
    mine[1] = now;
  }
  __syncthreads();
  const int row = row_of_thread();
  if (!timed && row < rows) answer_row(x, sum, largest, row, columns);
}
