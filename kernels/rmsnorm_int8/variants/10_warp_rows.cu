#include <harness/convert.cuh>
#include <harness/vec.cuh>
#include <harness/warp.cuh>

// Idea: a warp takes a row with vector loads; the sum of squares and the maximum meet through shuffles. A lane reads
// back in the second pass exactly the elements that it wrote in the first, so no barrier is needed.
// Cost: x and residual once from memory, residual once more from cache, both outputs once: close to the floor.
// Stops: with few rows (T warps cannot fill the device: a block a row is next) and on rows longer than the cache.
template <class T, int VEC>
__global__ void rmsnorm(const T* x, T* residual, signed char* q, float* scale, float eps, int rows, int columns,
                        int ldx) {
  const int lane = threadIdx.x % 32;
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= rows) return;  // the same for all lanes of a warp
  const T* in = x + static_cast<long long>(row) * ldx;
  T* sums = residual + static_cast<long long>(row) * columns;
  signed char* codes = q + static_cast<long long>(row) * columns;

  float squares = 0, largest = 0;
  for (int j = lane * VEC; j < columns; j += 32 * VEC) {
    const harness::Vec<T, VEC> a = harness::load<VEC>(in + j);
    harness::Vec<T, VEC> b = harness::load<VEC>(sums + j);
#pragma unroll
    for (int i = 0; i < VEC; ++i) {
      b.at[i] = harness::from_float<T>(harness::to_float(a.at[i]) + harness::to_float(b.at[i]));
      const float r = harness::to_float(b.at[i]);  // rounded: the norm is of what is stored
      squares += r * r;
      largest = fmaxf(largest, fabsf(r));
    }
    harness::store(sums + j, b);
  }
  squares = harness::warp_sum(squares);
  largest = harness::warp_max(largest);
  if (lane == 0) scale[row] = largest / sqrtf(squares / columns + eps) / 127.0f;

  // The norm cancels in y / scale = residual * 127 / max|residual|. In a row of zeros every code is 0 / 1.
  const float divisor = largest > 0 ? largest : 1.0f;
  for (int j = lane * VEC; j < columns; j += 32 * VEC) {
    const harness::Vec<T, VEC> r = harness::load<VEC>(sums + j);
    harness::Vec<signed char, VEC> code;
#pragma unroll
    for (int i = 0; i < VEC; ++i) {
      const int nearest = __float2int_rn(harness::to_float(r.at[i]) * 127.0f / divisor);
      code.at[i] = static_cast<signed char>(min(max(nearest, -127), 127));
    }
    harness::store(codes + j, code);
  }
}
