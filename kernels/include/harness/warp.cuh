#pragma once

// All 32 lanes of the warp must call these together. The reductions go over groups of WIDTH neighbouring lanes (a power
// of two, 32 for the whole warp), and every lane gets the result.
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

/// The first lane's `x`. What is the same in all lanes anyway (a warp's number) is then known to be: the compiler keeps
/// it, and what follows from it, in registers that a warp has once.
__device__ inline int uniform(int x) {
  return __shfl_sync(0xffffffffu, x, 0);
}

}  // namespace harness
