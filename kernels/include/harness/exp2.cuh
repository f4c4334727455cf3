#pragma once

namespace harness {

/// 2^x by the special function unit: PTX ISA, ex2.approx.ftz.f32. Its relative error is at most 2^-22.5; subnormal
/// results (below 2^-126) are 0; exp2(-inf) = 0, exp2(+inf) = +inf. 16 a cycle and multiprocessor, on every GPU since
/// sm_70. On the cpu device it is the host's, which is nearer: results differ in the last bits.
__device__ inline float exp2_approx(float x) {
#ifdef __HARNESS_CPU__
  const float y = exp2f(x);
  return y < 0x1p-126f ? 0.0f : y;
#else
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#endif
}

}  // namespace harness
