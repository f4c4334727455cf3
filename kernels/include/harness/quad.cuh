#pragma once

// What the four lanes that share a row of a tensor core's result do together, so that each stores 16 bytes of it and
// not four words of 4 bytes, far apart.
namespace harness {

/// Transposes 4 x 4 words: word n of lane p goes to word p of lane n, in two steps of exchanges. All lanes of the warp.
__device__ inline void transpose_quad(unsigned (&word)[4]) {
#pragma unroll
  for (int step = 1; step <= 2; step *= 2) {
    const bool upper = threadIdx.x % 4 & step;
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      if (n & step) continue;
      const unsigned given = upper ? word[n] : word[n + step];
      const unsigned taken = __shfl_xor_sync(0xffffffffu, given, step);
      (upper ? word[n] : word[n + step]) = taken;
    }
  }
}

}  // namespace harness
