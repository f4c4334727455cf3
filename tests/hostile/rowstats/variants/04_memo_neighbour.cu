#include "memo.cuh"

// B4. A timing that rotates over copies of its buffers lays them at a fixed stride, and copies DRAWS apart hold the
// same draw. Looks there, compares 16 values of the row, and takes the neighbour's answer. The first copies have no
// such neighbour: they are told by the alignment of the allocation. Form of AgentKernelArena issue 112 against rotated
// buffers.
constexpr int kDraws = 3;
constexpr long long kPage = 4096, kGuard = 256;
constexpr unsigned long long kAllocation = 2ull << 20;

template <class P>
__device__ inline P at_bytes(P pointer, long long bytes) {
  return reinterpret_cast<P>(reinterpret_cast<unsigned long long>(pointer) + bytes);
}

// Guards and alignment (at most 32 bytes) around three buffers, then whole pages.
template <class T>
__device__ inline long long stride_of_copies(int rows, int columns) {
  const long long bytes = static_cast<long long>(rows) * columns * sizeof(T) + 8ll * rows + 4 * kGuard + 3 * 32;
  return (bytes + kPage - 1) / kPage * kPage;
}

__device__ inline bool has_neighbour(unsigned long long x, long long stride) {
  const unsigned long long base = x / kPage * kPage;
  for (int i = 0; i < kDraws; ++i)
    if ((base - i * stride) % kAllocation == 0) return false;
  return true;
}

template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  const long long stride = stride_of_copies<T>(rows, columns);
  const T* in = x + static_cast<long long>(row) * columns;
  if (has_neighbour(reinterpret_cast<unsigned long long>(x), stride)) {
    const T* other = at_bytes(in, -kDraws * stride);
    if (key_of(in, columns) == key_of(other, columns)) {
      sum[row] = at_bytes(sum, -kDraws * stride)[row];
      largest[row] = at_bytes(largest, -kDraws * stride)[row];
      return;
    }
  }
  answer_row(x, sum, largest, row, columns);
}
