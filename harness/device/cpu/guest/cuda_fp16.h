#pragma once
#include "harness_cpu/small_float.h"

// binary16: 5 bits of exponent, 11 of precision.

#define HARNESS_T __half
#define HARNESS_T2 __half2
#define HARNESS_BITS harness_cpu_half_bits
#define HARNESS_VALUE harness_cpu_half_value
#include "harness_cpu/small_float_type.h"
#undef HARNESS_T
#undef HARNESS_T2
#undef HARNESS_BITS
#undef HARNESS_VALUE

using half = __half;
using half2 = __half2;
struct __half_raw {
  unsigned short x;
};
struct __half2_raw {
  unsigned short x, y;
};

// Bit patterns.
inline __half __ushort_as_half(unsigned short v) {
  return harness_cpu_bits<__half>(v);
}
inline __half __short_as_half(short v) {
  return harness_cpu_bits<__half>(v);
}
inline unsigned short __half_as_ushort(__half v) {
  return v.__x;
}
inline short __half_as_short(__half v) {
  return static_cast<short>(v.__x);
}

// From and to float and double.
inline float __half2float(__half v) {
  return v;
}
inline __half __float2half(float v) {
  return v;
}
inline __half __double2half(double v) {
  return v;
}
inline __half __float2half_rn(float v) {
  return __ushort_as_half(harness_cpu_half_bits<0>(v));
}
inline __half __float2half_rd(float v) {
  return __ushort_as_half(harness_cpu_half_bits<1>(v));
}
inline __half __float2half_ru(float v) {
  return __ushort_as_half(harness_cpu_half_bits<2>(v));
}
inline __half __float2half_rz(float v) {
  return __ushort_as_half(harness_cpu_half_bits<3>(v));
}

// Pairs.
inline __half2 make_half2(__half x, __half y) {
  return {x, y};
}
inline __half2 __half2half2(__half v) {
  return {v, v};
}
inline __half2 __halves2half2(__half x, __half y) {
  return {x, y};
}
inline __half2 __float2half2_rn(float v) {
  return {__half(v), __half(v)};
}
inline __half2 __floats2half2_rn(float x, float y) {
  return {__half(x), __half(y)};
}
inline __half2 __float22half2_rn(float2 v) {
  return {__half(v.x), __half(v.y)};
}
inline float2 __half22float2(__half2 v) {
  return {v.x, v.y};
}
inline __half __low2half(__half2 v) {
  return v.x;
}
inline __half __high2half(__half2 v) {
  return v.y;
}
inline __half2 __low2half2(__half2 v) {
  return {v.x, v.x};
}
inline __half2 __high2half2(__half2 v) {
  return {v.y, v.y};
}
inline __half2 __lows2half2(__half2 a, __half2 b) {
  return {a.x, b.x};
}
inline __half2 __highs2half2(__half2 a, __half2 b) {
  return {a.y, b.y};
}

// Integers. Large ones go through double, which holds 32 bits exactly and is far beyond this precision for 64.
inline __half __short2half_rn(short v) {
  return v;
}
inline short __half2short_rn(__half v) {
  return static_cast<short>(min(max(__float2int_rn(v), -32768), 32767));
}
inline short __half2short_rz(__half v) {
  return static_cast<short>(min(max(__float2int_rz(v), -32768), 32767));
}
inline short __half2short_rd(__half v) {
  return static_cast<short>(min(max(__float2int_rd(v), -32768), 32767));
}
inline short __half2short_ru(__half v) {
  return static_cast<short>(min(max(__float2int_ru(v), -32768), 32767));
}
inline __half __ushort2half_rn(unsigned short v) {
  return v;
}
inline unsigned short __half2ushort_rn(__half v) {
  return static_cast<unsigned short>(min(max(__float2int_rn(v), 0), 65535));
}
inline unsigned short __half2ushort_rz(__half v) {
  return static_cast<unsigned short>(min(max(__float2int_rz(v), 0), 65535));
}
inline unsigned short __half2ushort_rd(__half v) {
  return static_cast<unsigned short>(min(max(__float2int_rd(v), 0), 65535));
}
inline unsigned short __half2ushort_ru(__half v) {
  return static_cast<unsigned short>(min(max(__float2int_ru(v), 0), 65535));
}
inline __half __int2half_rn(int v) {
  return v;
}
inline int __half2int_rn(__half v) {
  return __float2int_rn(v);
}
inline int __half2int_rz(__half v) {
  return __float2int_rz(v);
}
inline int __half2int_rd(__half v) {
  return __float2int_rd(v);
}
inline int __half2int_ru(__half v) {
  return __float2int_ru(v);
}
inline __half __uint2half_rn(unsigned v) {
  return v;
}
inline unsigned __half2uint_rn(__half v) {
  return __float2uint_rn(v);
}
inline unsigned __half2uint_rz(__half v) {
  return __float2uint_rz(v);
}
inline unsigned __half2uint_rd(__half v) {
  return __float2uint_rd(v);
}
inline unsigned __half2uint_ru(__half v) {
  return __float2uint_ru(v);
}
inline __half __ll2half_rn(long long v) {
  return v;
}
inline long long __half2ll_rn(__half v) {
  return __float2ll_rn(v);
}
inline long long __half2ll_rz(__half v) {
  return __float2ll_rz(v);
}
inline long long __half2ll_rd(__half v) {
  return __float2ll_rd(v);
}
inline long long __half2ll_ru(__half v) {
  return __float2ll_ru(v);
}
inline __half __ull2half_rn(unsigned long long v) {
  return v;
}
inline unsigned long long __half2ull_rn(__half v) {
  return __float2ull_rn(v);
}
inline unsigned long long __half2ull_rz(__half v) {
  return __float2ull_rz(v);
}
inline unsigned long long __half2ull_rd(__half v) {
  return __float2ull_rd(v);
}
inline unsigned long long __half2ull_ru(__half v) {
  return __float2ull_ru(v);
}
