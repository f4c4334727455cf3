#include <harness/convert.cuh>

// The last row of each sequence is left out. Shows on every workload as unwritten elements.
template <class T>
__global__ void gather(const T* pool, const int* lengths, const int* block_table, T* out, int max_pages, int block,
                       int columns) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = blockIdx.y, b = blockIdx.z;
  if (n >= columns || j >= lengths[b] - 1) return;
  const long long page = block_table[b * max_pages + j / block];
  const long long to = static_cast<long long>(b) * max_pages * block + j;
  out[to * columns + n] = pool[(page * block + j % block) * columns + n];
}
