#pragma once
#include "harness_cpu/small_float.h"

// bfloat16: the upper half of a float, 8 bits of precision.

#define HARNESS_T __nv_bfloat16
#define HARNESS_T2 __nv_bfloat162
#define HARNESS_BITS harness_cpu_bfloat_bits
#define HARNESS_VALUE harness_cpu_bfloat_value
#include "harness_cpu/small_float_type.h"
#undef HARNESS_T
#undef HARNESS_T2
#undef HARNESS_BITS
#undef HARNESS_VALUE

using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;
struct __nv_bfloat16_raw {
  unsigned short x;
};
struct __nv_bfloat162_raw {
  unsigned short x, y;
};

// Bit patterns.
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short v) {
  return harness_cpu_bits<__nv_bfloat16>(v);
}
inline __nv_bfloat16 __short_as_bfloat16(short v) {
  return harness_cpu_bits<__nv_bfloat16>(v);
}
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 v) {
  return v.__x;
}
inline short __bfloat16_as_short(__nv_bfloat16 v) {
  return static_cast<short>(v.__x);
}

// From and to float and double.
inline float __bfloat162float(__nv_bfloat16 v) {
  return v;
}
inline __nv_bfloat16 __float2bfloat16(float v) {
  return v;
}
inline __nv_bfloat16 __double2bfloat16(double v) {
  return v;
}
inline __nv_bfloat16 __float2bfloat16_rn(float v) {
  return __ushort_as_bfloat16(harness_cpu_bfloat_bits<0>(v));
}
inline __nv_bfloat16 __float2bfloat16_rd(float v) {
  return __ushort_as_bfloat16(harness_cpu_bfloat_bits<1>(v));
}
inline __nv_bfloat16 __float2bfloat16_ru(float v) {
  return __ushort_as_bfloat16(harness_cpu_bfloat_bits<2>(v));
}
inline __nv_bfloat16 __float2bfloat16_rz(float v) {
  return __ushort_as_bfloat16(harness_cpu_bfloat_bits<3>(v));
}

// Pairs.
inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) {
  return {x, y};
}
inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 v) {
  return {v, v};
}
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) {
  return {x, y};
}
inline __nv_bfloat162 __float2bfloat162_rn(float v) {
  return {__nv_bfloat16(v), __nv_bfloat16(v)};
}
inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return {__nv_bfloat16(x), __nv_bfloat16(y)};
}
inline __nv_bfloat162 __float22bfloat162_rn(float2 v) {
  return {__nv_bfloat16(v.x), __nv_bfloat16(v.y)};
}
inline float2 __bfloat1622float2(__nv_bfloat162 v) {
  return {v.x, v.y};
}
inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) {
  return v.x;
}
inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) {
  return v.y;
}
inline __nv_bfloat162 __low2bfloat162(__nv_bfloat162 v) {
  return {v.x, v.x};
}
inline __nv_bfloat162 __high2bfloat162(__nv_bfloat162 v) {
  return {v.y, v.y};
}
inline __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return {a.x, b.x};
}
inline __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return {a.y, b.y};
}

// Integers. Large ones go through double, which holds 32 bits exactly and is far beyond this precision for 64.
inline __nv_bfloat16 __short2bfloat16_rn(short v) {
  return v;
}
inline short __bfloat162short_rn(__nv_bfloat16 v) {
  return static_cast<short>(min(max(__float2int_rn(v), -32768), 32767));
}
inline short __bfloat162short_rz(__nv_bfloat16 v) {
  return static_cast<short>(min(max(__float2int_rz(v), -32768), 32767));
}
inline short __bfloat162short_rd(__nv_bfloat16 v) {
  return static_cast<short>(min(max(__float2int_rd(v), -32768), 32767));
}
inline short __bfloat162short_ru(__nv_bfloat16 v) {
  return static_cast<short>(min(max(__float2int_ru(v), -32768), 32767));
}
inline __nv_bfloat16 __ushort2bfloat16_rn(unsigned short v) {
  return v;
}
inline unsigned short __bfloat162ushort_rn(__nv_bfloat16 v) {
  return static_cast<unsigned short>(min(max(__float2int_rn(v), 0), 65535));
}
inline unsigned short __bfloat162ushort_rz(__nv_bfloat16 v) {
  return static_cast<unsigned short>(min(max(__float2int_rz(v), 0), 65535));
}
inline unsigned short __bfloat162ushort_rd(__nv_bfloat16 v) {
  return static_cast<unsigned short>(min(max(__float2int_rd(v), 0), 65535));
}
inline unsigned short __bfloat162ushort_ru(__nv_bfloat16 v) {
  return static_cast<unsigned short>(min(max(__float2int_ru(v), 0), 65535));
}
inline __nv_bfloat16 __int2bfloat16_rn(int v) {
  return v;
}
inline int __bfloat162int_rn(__nv_bfloat16 v) {
  return __float2int_rn(v);
}
inline int __bfloat162int_rz(__nv_bfloat16 v) {
  return __float2int_rz(v);
}
inline int __bfloat162int_rd(__nv_bfloat16 v) {
  return __float2int_rd(v);
}
inline int __bfloat162int_ru(__nv_bfloat16 v) {
  return __float2int_ru(v);
}
inline __nv_bfloat16 __uint2bfloat16_rn(unsigned v) {
  return v;
}
inline unsigned __bfloat162uint_rn(__nv_bfloat16 v) {
  return __float2uint_rn(v);
}
inline unsigned __bfloat162uint_rz(__nv_bfloat16 v) {
  return __float2uint_rz(v);
}
inline unsigned __bfloat162uint_rd(__nv_bfloat16 v) {
  return __float2uint_rd(v);
}
inline unsigned __bfloat162uint_ru(__nv_bfloat16 v) {
  return __float2uint_ru(v);
}
inline __nv_bfloat16 __ll2bfloat16_rn(long long v) {
  return v;
}
inline long long __bfloat162ll_rn(__nv_bfloat16 v) {
  return __float2ll_rn(v);
}
inline long long __bfloat162ll_rz(__nv_bfloat16 v) {
  return __float2ll_rz(v);
}
inline long long __bfloat162ll_rd(__nv_bfloat16 v) {
  return __float2ll_rd(v);
}
inline long long __bfloat162ll_ru(__nv_bfloat16 v) {
  return __float2ll_ru(v);
}
inline __nv_bfloat16 __ull2bfloat16_rn(unsigned long long v) {
  return v;
}
inline unsigned long long __bfloat162ull_rn(__nv_bfloat16 v) {
  return __float2ull_rn(v);
}
inline unsigned long long __bfloat162ull_rz(__nv_bfloat16 v) {
  return __float2ull_rz(v);
}
inline unsigned long long __bfloat162ull_rd(__nv_bfloat16 v) {
  return __float2ull_rd(v);
}
inline unsigned long long __bfloat162ull_ru(__nv_bfloat16 v) {
  return __float2ull_ru(v);
}
