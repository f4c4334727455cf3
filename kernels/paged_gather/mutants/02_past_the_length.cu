#include <harness/convert.cuh>

// Also copies the rows behind the end of a sequence in its last page. Shows as damage outside the valid rows wherever
// a length is no multiple of the page.
template <class T>
__global__ void gather(const T* pool, const int* lengths, const int* block_table, T* out, int max_pages, int block,
                       int columns) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = blockIdx.y, b = blockIdx.z;
  const int pages = (lengths[b] + block - 1) / block;
  if (n >= columns || j >= pages * block) return;
  const long long page = block_table[b * max_pages + j / block];
  const long long to = static_cast<long long>(b) * max_pages * block + j;
  out[to * columns + n] = pool[(page * block + j % block) * columns + n];
}
