#include <harness/convert.cuh>

// Idea: one thread an element, one block (or more) for each row (b, j) that could exist.
// Cost: every block looks up its page before it can load: two dependent trips to memory for a few hundred bytes. Blocks
// past the end of a sequence are launched only to leave.
// Stops: at the rate at which blocks start, far from the memory bandwidth.
template <class T>
__global__ void gather(const T* pool, const int* lengths, const int* block_table, T* out, int max_pages, int block,
                       int columns) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = blockIdx.y, b = blockIdx.z;
  if (n >= columns || j >= lengths[b]) return;
  const long long page = block_table[b * max_pages + j / block];
  const long long to = static_cast<long long>(b) * max_pages * block + j;
  out[to * columns + n] = pool[(page * block + j % block) * columns + n];
}
