#include <harness/convert.cuh>
#include <harness/exp2.cuh>
#include <harness/infinity.cuh>
#include <harness/vec.cuh>
#include <harness/warp.cuh>

// Idea: x is read once. THREADS threads hold a whole row in registers, ITEMS vectors each, all loads issued before the
// first is used; so a multiprocessor has kilobytes under way, which is what reaches the bandwidth of memory. Each
// thread exponentiates against its own maximum at once; maxima and sums of threads are merged by the rule of 20_online,
// with one barrier a row, and what a thread holds is corrected by one factor at the end. Cost: ITEMS * VEC registers;
// one exponential an element and one more a thread. A block takes ROWS rows. Stops: at the bandwidth of memory, and
// where a row has more elements than a block has registers for.
// What a sum under the maximum `from` is worth under the larger one `to`: nothing if there was nothing to sum.
__device__ inline float correction(float from, float to) {
  return from == -harness::kInfinity ? 0.0f : harness::exp2_approx(from - to);
}

template <class T, int THREADS, int ROWS, int VEC, int ITEMS>
__global__ void __launch_bounds__(THREADS* ROWS) softmax(const T* x, T* y, int rows, int columns) {
  constexpr int kWarps = THREADS / 32;
  constexpr float kLog2e = 1.4426950408889634f;
  __shared__ float largest_of[ROWS][kWarps], sum_of[ROWS][kWarps];
  const int local = threadIdx.x / THREADS, thread = threadIdx.x % THREADS;
  const long long row = static_cast<long long>(blockIdx.x) * ROWS + local;
  const bool present = row < rows;
  const T* in = x + (present ? row : 0) * columns;

  harness::Vec<T, VEC> held[ITEMS];
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int column = (i * THREADS + thread) * VEC;
    if (column < columns) held[i] = harness::load<VEC>(in + column);
  }
  float value[ITEMS][VEC], largest = -harness::kInfinity;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i)
#pragma unroll
    for (int e = 0; e < VEC; ++e) {
      const bool inside = (i * THREADS + thread) * VEC < columns;
      value[i][e] = inside ? harness::to_float(held[i].at[e]) * kLog2e : -harness::kInfinity;
      largest = fmaxf(largest, value[i][e]);
    }
  const float base = largest == -harness::kInfinity ? 0.0f : largest;
  float sum = 0;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i)
#pragma unroll
    for (int e = 0; e < VEC; ++e) {
      value[i][e] = harness::exp2_approx(value[i][e] - base);
      sum += value[i][e];
    }

  // Of the warp, then of the row.
  float of_row = harness::warp_max(largest);
  float total = harness::warp_sum(sum * correction(largest, of_row));
  if constexpr (kWarps > 1) {
    if (thread % 32 == 0) {
      largest_of[local][thread / 32] = of_row;
      sum_of[local][thread / 32] = total;
    }
    __syncthreads();
    of_row = -harness::kInfinity;
#pragma unroll
    for (int warp = 0; warp < kWarps; ++warp) of_row = fmaxf(of_row, largest_of[local][warp]);
    total = 0;
#pragma unroll
    for (int warp = 0; warp < kWarps; ++warp)
      total += sum_of[local][warp] * correction(largest_of[local][warp], of_row);
  }
  if (!present) return;
  const float factor = correction(largest, of_row) / total;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int column = (i * THREADS + thread) * VEC;
    if (column >= columns) continue;
#pragma unroll
    for (int e = 0; e < VEC; ++e) held[i].at[e] = harness::from_float<T>(value[i][e] * factor);
    harness::store(y + row * columns + column, held[i]);
  }
}
