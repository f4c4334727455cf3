#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// Two 16-bit elements in one register, as the operands of matrix instructions hold them: the first in the lower half.
namespace harness {

template <class T>
inline constexpr bool kIsBf16 = false;
template <>
inline constexpr bool kIsBf16<__nv_bfloat16> = true;

/// `low` and `high`, each rounded to nearest even. T is __half or __nv_bfloat16. PTX ISA: cvt.rn.f16x2.f32 (sm_80),
/// whose first source is the upper half.
template <class T>
__device__ inline unsigned pack(float low, float high) {
#ifdef __HARNESS_CPU__
  const T pair[2] = {T(low), T(high)};
  unsigned bits;
  memcpy(&bits, pair, sizeof bits);
  return bits;
#else
  unsigned bits;
  if constexpr (kIsBf16<T>) asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
  else asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
  return bits;
#endif
}

/// The two elements that `bits` hold.
template <class T>
__device__ inline float2 unpack(unsigned bits) {
  const unsigned short halves[2] = {static_cast<unsigned short>(bits), static_cast<unsigned short>(bits >> 16)};
  T pair[2];
  memcpy(pair, halves, sizeof pair);
  return {static_cast<float>(pair[0]), static_cast<float>(pair[1])};
}

}  // namespace harness
