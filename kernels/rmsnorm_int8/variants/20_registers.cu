#include <harness/convert.cuh>
#include <harness/vec.cuh>
#include <harness/warp.cuh>

// Idea: a row stays in registers. 10_warp_rows reads back what it has just written, from a cache that many rows share,
// and has one load of each input under way. Here THREADS threads take a row, VEC neighbouring columns at a time; all
// loads of a thread are under way before the first sum, and the second pass reads registers. Neighbours in a warp read
// neighbours in memory, at every width: where the distance of two rows of x allows only narrow loads, those of the
// other tensors are as narrow. Warps of a row meet once, in shared memory. Cost: columns / THREADS numbers of
// registers, twice; the bytes of the inputs and outputs once: the floor. Stops: at the bandwidth of memory; with few
// rows at a launch and three waits (loads, meeting, stores).
template <class T, int THREADS, int ROWS, int VEC, int COLUMNS>
__global__ void __launch_bounds__(THREADS* ROWS)
    rmsnorm_registers(const T* x, T* residual, signed char* q, float* scale, float eps, int rows, int ldx) {
  constexpr int kChunks = (COLUMNS + THREADS * VEC - 1) / (THREADS * VEC), kWarps = THREADS / 32;
  const int of_block = threadIdx.x / THREADS, thread = threadIdx.x % THREADS;
  const int row = blockIdx.x * ROWS + of_block;
  const bool exists = row < rows;
  const auto column_of = [&](int chunk) { return (chunk * THREADS + thread) * VEC; };
  const auto has = [&](int chunk) {
    return exists && ((chunk + 1) * THREADS * VEC <= COLUMNS || column_of(chunk) < COLUMNS);
  };
  const T* const in = x + static_cast<long long>(row) * ldx;
  T* const sums = residual + static_cast<long long>(row) * COLUMNS;

  harness::Vec<T, VEC> added[kChunks], sum[kChunks];
#pragma unroll
  for (int c = 0; c < kChunks; ++c)
    if (has(c)) {
      added[c] = harness::load<VEC>(in + column_of(c));
      sum[c] = harness::load<VEC>(sums + column_of(c));
    }

  float squares = 0, largest = 0;
#pragma unroll
  for (int c = 0; c < kChunks; ++c)
    if (has(c)) {
#pragma unroll
      for (int i = 0; i < VEC; ++i) {
        sum[c].at[i] = harness::from_float<T>(harness::to_float(added[c].at[i]) + harness::to_float(sum[c].at[i]));
        const float r = harness::to_float(sum[c].at[i]);  // rounded: the norm is of what is stored
        squares += r * r;
        largest = fmaxf(largest, fabsf(r));
      }
      harness::store(sums + column_of(c), sum[c]);
    }
  squares = harness::warp_sum(squares);
  largest = harness::warp_max(largest);
  if constexpr (kWarps > 1) {
    __shared__ float squares_of[ROWS][kWarps], largest_of[ROWS][kWarps];
    if (thread % 32 == 0) {
      squares_of[of_block][thread / 32] = squares;
      largest_of[of_block][thread / 32] = largest;
    }
    __syncthreads();
    squares = largest = 0;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) {
      squares += squares_of[of_block][w];
      largest = fmaxf(largest, largest_of[of_block][w]);
    }
  }
  if (exists && thread == 0) scale[row] = largest / sqrtf(squares / COLUMNS + eps) / 127.0f;

  // The norm cancels in y / scale = residual * 127 / max|residual|. In a row of zeros every code is 0 / 1.
  const float divisor = largest > 0 ? largest : 1.0f;
#pragma unroll
  for (int c = 0; c < kChunks; ++c)
    if (has(c)) {
      harness::Vec<signed char, VEC> codes;
#pragma unroll
      for (int i = 0; i < VEC; ++i) {
        const int nearest = __float2int_rn(harness::to_float(sum[c].at[i]) * 127.0f / divisor);
        codes.at[i] = static_cast<signed char>(min(max(nearest, -127), 127));
      }
      harness::store(q + static_cast<long long>(row) * COLUMNS + column_of(c), codes);
    }
}
