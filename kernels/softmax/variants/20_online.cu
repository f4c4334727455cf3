#include <harness/convert.cuh>
#include <harness/infinity.cuh>
#include <harness/vec.cuh>
#include <harness/warp.cuh>

// Idea: maximum and sum in one pass. Each thread keeps (largest, sum of exp(x - largest)) of what it has seen; a larger
// element rescales the sum by exp(old - new). Pairs from different threads merge by the same rule. A block takes a row,
// and loads are VEC elements wide.
// Cost: x is read twice (once here, once to write y; the second time from cache if the row fits), one exponential more
// per vector, one barrier a row.
// Stops: at memory bandwidth on long rows; on short rows most threads are idle and launching the block is the cost.
struct Running {
  float largest, sum;
};

// (-inf, 0) is the neutral element; two of them must not become exp(-inf + inf).
__device__ inline Running merge(Running a, Running b) {
  const float largest = fmaxf(a.largest, b.largest);
  if (largest == -harness::kInfinity) return {largest, 0.0f};
  return {largest, a.sum * expf(a.largest - largest) + b.sum * expf(b.largest - largest)};
}

__device__ inline Running warp_merge(Running x) {
  for (int step = 16; step > 0; step /= 2) {
    const Running other = {__shfl_xor_sync(0xffffffffu, x.largest, step), __shfl_xor_sync(0xffffffffu, x.sum, step)};
    x = merge(x, other);
  }
  return x;
}

template <class T, int THREADS, int VEC>
__global__ void __launch_bounds__(THREADS) softmax(const T* x, T* y, int columns) {
  constexpr int kWarps = THREADS / 32;
  __shared__ float largest_of_warp[kWarps];
  __shared__ float sum_of_warp[kWarps];
  const T* in = x + static_cast<long long>(blockIdx.x) * columns;
  T* out = y + static_cast<long long>(blockIdx.x) * columns;

  Running mine = {-harness::kInfinity, 0.0f};
  for (int j = threadIdx.x * VEC; j < columns; j += THREADS * VEC) {
    const harness::Vec<T, VEC> v = harness::load<VEC>(in + j);
    Running here = {harness::to_float(v.at[0]), 0.0f};
#pragma unroll
    for (int i = 1; i < VEC; ++i) here.largest = fmaxf(here.largest, harness::to_float(v.at[i]));
#pragma unroll
    for (int i = 0; i < VEC; ++i) here.sum += expf(harness::to_float(v.at[i]) - here.largest);
    mine = merge(mine, here);
  }

  mine = warp_merge(mine);
  if (threadIdx.x % 32 == 0) {
    largest_of_warp[threadIdx.x / 32] = mine.largest;
    sum_of_warp[threadIdx.x / 32] = mine.sum;
  }
  __syncthreads();
  Running row = {-harness::kInfinity, 0.0f};
  for (int warp = 0; warp < kWarps; ++warp) row = merge(row, {largest_of_warp[warp], sum_of_warp[warp]});

  const float inverse = 1.0f / row.sum;
  for (int j = threadIdx.x * VEC; j < columns; j += THREADS * VEC) {
    harness::Vec<T, VEC> v = harness::load<VEC>(in + j);
#pragma unroll
    for (int i = 0; i < VEC; ++i)
      v.at[i] = harness::from_float<T>(expf(harness::to_float(v.at[i]) - row.largest) * inverse);
    harness::store(out + j, v);
  }
}
