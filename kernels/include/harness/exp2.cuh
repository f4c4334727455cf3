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

/// 2^x on the multiply-add units, some eight instructions that leave the special function unit to others: x is split into a whole
/// number, which goes into the exponent, and the rest r in [-0.5, 0.5], for which a polynomial of degree 3 serves
/// (Cody and Waite). Its relative error is at most 1.02e-4 (the minimax polynomial that is 1 at 0). For x below 128;
/// what is below -126 comes out as at most 2^-126, -inf and whatever is at most -127 as 0, NaN as 0.
__device__ inline float exp2_polynomial(float x) {
  constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: has no room for fractions, and holds x in its lowest bits
  x = fmaxf(x, -127.0f);
  const float rounded = x + kRound;
  const float r = x - (rounded - kRound);
  const float p = fmaf(fmaf(fmaf(0.05500689f, r, 0.24221134f), r, 0.6932832f), r, 1.0f);
  return __uint_as_float(__float_as_uint(p) + (__float_as_uint(rounded) << 23));
}

}  // namespace harness
