#pragma once
#include "harness_cpu/math_functions.h"

// Conversions between numbers: the suffix is the rounding. A float or double that does not fit becomes the nearest
// integer of the type, and a NaN becomes 0 for 32 bits (the top bit alone for 64), as the PTX cvt instruction does.
template <typename Integer>
inline Integer harness_cpu_saturate(double v, double low, double high, Integer nan) {
  constexpr Integer kMin = static_cast<Integer>(-1) < 0 ? static_cast<Integer>(1ull << (sizeof(Integer) * 8 - 1)) : 0;
  constexpr Integer kMax = static_cast<Integer>(~kMin);
  if (v != v) return nan;
  if (v <= low) return kMin;
  if (v >= high) return kMax;
  return static_cast<Integer>(v);
}
inline int __float2int_rn(float v) {
  return harness_cpu_saturate<int>(nearbyint(v), -2147483648.0, 2147483647.0, 0);
}
inline int __float2int_rz(float v) {
  return harness_cpu_saturate<int>(trunc(v), -2147483648.0, 2147483647.0, 0);
}
inline int __float2int_rd(float v) {
  return harness_cpu_saturate<int>(floor(v), -2147483648.0, 2147483647.0, 0);
}
inline int __float2int_ru(float v) {
  return harness_cpu_saturate<int>(ceil(v), -2147483648.0, 2147483647.0, 0);
}
inline unsigned __float2uint_rn(float v) {
  return harness_cpu_saturate<unsigned>(nearbyint(v), 0.0, 4294967295.0, 0);
}
inline unsigned __float2uint_rz(float v) {
  return harness_cpu_saturate<unsigned>(trunc(v), 0.0, 4294967295.0, 0);
}
inline unsigned __float2uint_rd(float v) {
  return harness_cpu_saturate<unsigned>(floor(v), 0.0, 4294967295.0, 0);
}
inline unsigned __float2uint_ru(float v) {
  return harness_cpu_saturate<unsigned>(ceil(v), 0.0, 4294967295.0, 0);
}
inline long long __float2ll_rn(float v) {
  return harness_cpu_saturate<long long>(nearbyint(v), -9223372036854775808.0, 9223372036854775808.0,
                                         static_cast<long long>(1ull << 63));
}
inline long long __float2ll_rz(float v) {
  return harness_cpu_saturate<long long>(trunc(v), -9223372036854775808.0, 9223372036854775808.0,
                                         static_cast<long long>(1ull << 63));
}
inline long long __float2ll_rd(float v) {
  return harness_cpu_saturate<long long>(floor(v), -9223372036854775808.0, 9223372036854775808.0,
                                         static_cast<long long>(1ull << 63));
}
inline long long __float2ll_ru(float v) {
  return harness_cpu_saturate<long long>(ceil(v), -9223372036854775808.0, 9223372036854775808.0,
                                         static_cast<long long>(1ull << 63));
}
inline unsigned long long __float2ull_rn(float v) {
  return harness_cpu_saturate<unsigned long long>(nearbyint(v), 0.0, 18446744073709551616.0, 1ull << 63);
}
inline unsigned long long __float2ull_rz(float v) {
  return harness_cpu_saturate<unsigned long long>(trunc(v), 0.0, 18446744073709551616.0, 1ull << 63);
}
inline unsigned long long __float2ull_rd(float v) {
  return harness_cpu_saturate<unsigned long long>(floor(v), 0.0, 18446744073709551616.0, 1ull << 63);
}
inline unsigned long long __float2ull_ru(float v) {
  return harness_cpu_saturate<unsigned long long>(ceil(v), 0.0, 18446744073709551616.0, 1ull << 63);
}
inline int __double2int_rn(double v) {
  return harness_cpu_saturate<int>(nearbyint(v), -2147483648.0, 2147483647.0, 0);
}
inline int __double2int_rz(double v) {
  return harness_cpu_saturate<int>(trunc(v), -2147483648.0, 2147483647.0, 0);
}
inline int __double2int_rd(double v) {
  return harness_cpu_saturate<int>(floor(v), -2147483648.0, 2147483647.0, 0);
}
inline int __double2int_ru(double v) {
  return harness_cpu_saturate<int>(ceil(v), -2147483648.0, 2147483647.0, 0);
}
inline unsigned __double2uint_rn(double v) {
  return harness_cpu_saturate<unsigned>(nearbyint(v), 0.0, 4294967295.0, 0);
}
inline unsigned __double2uint_rz(double v) {
  return harness_cpu_saturate<unsigned>(trunc(v), 0.0, 4294967295.0, 0);
}
inline unsigned __double2uint_rd(double v) {
  return harness_cpu_saturate<unsigned>(floor(v), 0.0, 4294967295.0, 0);
}
inline unsigned __double2uint_ru(double v) {
  return harness_cpu_saturate<unsigned>(ceil(v), 0.0, 4294967295.0, 0);
}
inline long long __double2ll_rn(double v) {
  return harness_cpu_saturate<long long>(nearbyint(v), -9223372036854775808.0, 9223372036854775808.0,
                                         static_cast<long long>(1ull << 63));
}
inline long long __double2ll_rz(double v) {
  return harness_cpu_saturate<long long>(trunc(v), -9223372036854775808.0, 9223372036854775808.0,
                                         static_cast<long long>(1ull << 63));
}
inline long long __double2ll_rd(double v) {
  return harness_cpu_saturate<long long>(floor(v), -9223372036854775808.0, 9223372036854775808.0,
                                         static_cast<long long>(1ull << 63));
}
inline long long __double2ll_ru(double v) {
  return harness_cpu_saturate<long long>(ceil(v), -9223372036854775808.0, 9223372036854775808.0,
                                         static_cast<long long>(1ull << 63));
}
inline unsigned long long __double2ull_rn(double v) {
  return harness_cpu_saturate<unsigned long long>(nearbyint(v), 0.0, 18446744073709551616.0, 1ull << 63);
}
inline unsigned long long __double2ull_rz(double v) {
  return harness_cpu_saturate<unsigned long long>(trunc(v), 0.0, 18446744073709551616.0, 1ull << 63);
}
inline unsigned long long __double2ull_rd(double v) {
  return harness_cpu_saturate<unsigned long long>(floor(v), 0.0, 18446744073709551616.0, 1ull << 63);
}
inline unsigned long long __double2ull_ru(double v) {
  return harness_cpu_saturate<unsigned long long>(ceil(v), 0.0, 18446744073709551616.0, 1ull << 63);
}

inline float __int2float_rn(int v) {
  return static_cast<float>(v);
}
inline float __int2float_rz(int v) {
  return harness_cpu_toward_zero(v);
}
inline double __int2double_rn(int v) {
  return v;
}
inline float __uint2float_rn(unsigned v) {
  return static_cast<float>(v);
}
inline float __uint2float_rz(unsigned v) {
  return harness_cpu_toward_zero(v);
}
inline double __uint2double_rn(unsigned v) {
  return v;
}
inline float __ll2float_rn(long long v) {
  return static_cast<float>(v);
}
inline double __ll2double_rn(long long v) {
  return static_cast<double>(v);
}
inline float __ull2float_rn(unsigned long long v) {
  return static_cast<float>(v);
}
inline double __ull2double_rn(unsigned long long v) {
  return static_cast<double>(v);
}
inline float __double2float_rn(double v) {
  return static_cast<float>(v);
}
inline float __double2float_rz(double v) {
  return harness_cpu_toward_zero(v);
}
inline float __double2float_rd(double v) {
  return harness_cpu_down(v);
}
inline float __double2float_ru(double v) {
  return harness_cpu_up(v);
}
