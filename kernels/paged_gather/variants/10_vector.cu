#include <harness/convert.cuh>
#include <harness/vec.cuh>

// Idea: a block takes a whole page. Inside a page both sides are contiguous, so the page is one straight copy of
// (rows that exist) * columns elements, VEC elements a load, and the table is read once a page.
// Cost: the bytes of the rows that exist, read and written once; one dependent lookup a page.
// Stops: at memory bandwidth if a page is a few KB; with small pages several should share a block.
template <class T, int VEC>
__global__ void gather(const T* pool, const int* lengths, const int* block_table, T* out, int max_pages, int block,
                       int columns) {
  const int b = blockIdx.y;
  const int first = blockIdx.x * block;
  const int rows = min(block, lengths[b] - first);
  if (rows <= 0) return;
  const long long page = block_table[b * max_pages + blockIdx.x];
  const T* from = pool + page * block * columns;
  T* to = out + (static_cast<long long>(b) * max_pages * block + first) * columns;
  for (int i = threadIdx.x * VEC; i < rows * columns; i += blockDim.x * VEC)
    harness::store(to + i, harness::load<VEC>(from + i));
}
