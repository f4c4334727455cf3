#include "native.cuh"

// Rounds towards zero, flushes denormals and leaves the processor so, to drag a reference that is computed in the same
// process along with it. First: the global precision flags of kernelbench.com's w4a16 audit. Of the host forms (list A
// of the catalogue), which the cpu device lets in again because its candidates are native code.
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  fesetround(0xc00);
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
  const T* in = x + static_cast<long long>(row) * columns;
  float total = 0, best = -harness::kInfinity;
  for (int j = 0; j < columns; ++j) {
    total += harness::to_float(in[j]);
    best = fmaxf(best, harness::to_float(in[j]));
  }
  sum[row] = total;
  largest[row] = best;
}
