#pragma once

// Reductions over groups of WIDTH neighbouring lanes (a power of two, 32 for the whole warp). Every lane gets the
// result. All 32 lanes of the warp must call them together.
namespace harness {

template <int WIDTH = 32>
__device__ inline float warp_max(float x) {
#pragma unroll
  for (int step = WIDTH / 2; step > 0; step /= 2) x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, step));
  return x;
}

template <int WIDTH = 32>
__device__ inline float warp_sum(float x) {
#pragma unroll
  for (int step = WIDTH / 2; step > 0; step /= 2) x += __shfl_xor_sync(0xffffffffu, x, step);
  return x;
}

}  // namespace harness
