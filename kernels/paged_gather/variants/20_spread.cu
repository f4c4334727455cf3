#include <harness/convert.cuh>
#include <harness/vec.cuh>

// Idea: 10_vector gives a page to a block, and a page of 4 KB is one load for each of 256 threads: a thread waits for
// the table, then for its load, and is done. Here a thread has COPIES vectors of 16 bytes, a block's width apart, and
// asks for the pages of all, then for all the vectors, before it stores one: two waits for COPIES vectors, and pages
// share blocks however small they are.
// Cost: the bytes of the rows that exist, once each way. Where a row has gone, its thread only leaves.
// Stops: at the bandwidth of memory.

/// ROWS and COLUMNS are those of a page.
template <class T, int VEC, int BLOCK, int COPIES, int ROWS, int COLUMNS>
__global__ void __launch_bounds__(BLOCK)
    gather_spread(const T* pool, const int* lengths, const int* block_table, T* out, int max_pages) {
  constexpr int kRow = COLUMNS / VEC, kPage = ROWS * kRow;  // vectors
  const int b = blockIdx.y;
  const unsigned end = static_cast<unsigned>(lengths[b]) * kRow;  // in vectors of this sequence
  const unsigned first = blockIdx.x * (BLOCK * COPIES) + threadIdx.x;
  const int* const table = block_table + static_cast<long long>(b) * max_pages;
  int page[COPIES];
#pragma unroll
  for (int i = 0; i < COPIES; ++i)
    if (first + i * BLOCK < end) page[i] = table[(first + i * BLOCK) / kPage];
  harness::Vec<T, VEC> moved[COPIES];
#pragma unroll
  for (int i = 0; i < COPIES; ++i)
    if (const unsigned at = first + i * BLOCK; at < end)
      moved[i] = harness::load<VEC>(pool + (static_cast<long long>(page[i]) * kPage + at % kPage) * VEC);
  T* const to = out + static_cast<long long>(b) * max_pages * kPage * VEC;
#pragma unroll
  for (int i = 0; i < COPIES; ++i)
    if (const unsigned at = first + i * BLOCK; at < end)
      harness::store(to + static_cast<long long>(at) * VEC, moved[i]);
}
