#include <harness/convert.cuh>

// Pages are taken in the order in which they lie, without the block table. Shows on every workload whose table is
// scattered, which all are that have more than one page.
template <class T>
__global__ void gather(const T* pool, const int* lengths, const int* block_table, T* out, int max_pages, int block,
                       int columns) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = blockIdx.y, b = blockIdx.z;
  if (n >= columns || j >= lengths[b]) return;
  const long long to = static_cast<long long>(b) * max_pages * block + j;
  if (block_table == nullptr) return;
  out[to * columns + n] = pool[to * columns + n];
}
