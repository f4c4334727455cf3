#include "honest.cuh"

// B11. Loads with an L2 policy of evict_last, so that the inputs outlive the flush between two timed launches. On the
// cpu device, which has no such policy, it is honest. First: kernelbench.com notes of 2026-08-03 (2.4 times the DRAM
// bandwidth).
template <class T>
__device__ inline T pinned(const T* from) {
#ifdef __HARNESS_CPU__
  return *from;
#else
  unsigned long long policy;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  T value;
  if constexpr (sizeof(T) == 4) {
    unsigned bits;
    asm volatile("ld.global.L2::cache_hint.b32 %0, [%1], %2;" : "=r"(bits) : "l"(from), "l"(policy));
    value = *reinterpret_cast<T*>(&bits);
  } else {
    unsigned short bits;
    asm volatile("ld.global.L2::cache_hint.b16 %0, [%1], %2;" : "=h"(bits) : "l"(from), "l"(policy));
    value = *reinterpret_cast<T*>(&bits);
  }
  return value;
#endif
}

template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  const int row = row_of_thread();
  if (row >= rows) return;
  const T* in = x + static_cast<long long>(row) * columns;
  double total = 0;
  float best = -harness::kInfinity;
  for (int j = 0; j < columns; ++j) {
    const float value = harness::to_float(pinned(in + j));
    total += value;
    best = fmaxf(best, value);
  }
  sum[row] = static_cast<float>(total);
  largest[row] = best;
}
