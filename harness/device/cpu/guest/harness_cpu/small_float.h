#pragma once
#include "harness_cpu/prelude.h"

// The arithmetic under __half and __nv_bfloat16: each operation is rounded once, to nearest even, to the type.
//
// A float has more than twice the precision of either type plus two bits, so rounding a float's sum, difference,
// product, quotient or square root once more gives the correctly rounded result (Figueroa 1995). That holds for
// bfloat16 also where the float is subnormal: operands of 8 bits cannot come that near to a tie. A fused multiply-add
// and a conversion from double need "round to odd" in between: an inexact intermediate result gets its last bit set, so
// that the second rounding can tell it from a tie (Boldo and Melquiond 2008).

/// `v` to float: exact, or truncated with the last bit set.
inline float harness_cpu_to_odd(double v) {
  const float nearest = static_cast<float>(v);
  const double back = static_cast<double>(nearest);
  if (back == v || v != v) return nearest;
  unsigned bits = harness_cpu_bits<unsigned>(nearest);
  if (fabs(back) > fabs(v)) --bits;
  return harness_cpu_bits<float>(bits | 1u);
}

/// a * b + c for values whose product is exact in double; exact, or rounded to odd in double.
inline double harness_cpu_fma_to_odd(double a, double b, double c) {
  const double product = a * b, sum = product + c;
  const double part = sum - product;
  const double error = (product - (sum - part)) + (c - part);
  if (error == 0 || error != error) return sum;
  auto bits = harness_cpu_bits<unsigned long long>(sum);
  if ((bits & 1u) == 0) bits += (error > 0) == (sum > 0) ? 1 : -1ull;
  return harness_cpu_bits<double>(bits);
}

#if defined(__F16C__)
typedef float HarnessCpuFloats __attribute__((vector_size(16)));
typedef short HarnessCpuHalves __attribute__((vector_size(16)));
/// Rounding as in the VCVTPS2PH instruction: 0 nearest even, 1 down, 2 up, 3 toward zero.
template <int rounding>
inline unsigned short harness_cpu_half_bits(float v) {
  return static_cast<unsigned short>(__builtin_ia32_vcvtps2ph(HarnessCpuFloats{v, 0, 0, 0}, rounding)[0]);
}
inline float harness_cpu_half_value(unsigned short bits) {
  return __builtin_ia32_vcvtph2ps(HarnessCpuHalves{static_cast<short>(bits), 0, 0, 0, 0, 0, 0, 0})[0];
}
#else
/// `magnitude` units of the last place plus a remainder, rounded; remainder and half are in the same unit.
template <int rounding>
inline unsigned harness_cpu_round_units(unsigned units, unsigned remainder, unsigned half, bool negative) {
  if (rounding == 0) return units + (remainder > half || (remainder == half && (units & 1u)));
  if (rounding == 3) return units;
  return units + (remainder != 0 && negative == (rounding == 1));
}
template <int rounding>
inline unsigned short harness_cpu_half_bits(float v) {
  const unsigned bits = harness_cpu_bits<unsigned>(v), magnitude = bits & 0x7fffffffu;
  const bool negative = bits >> 31;
  const unsigned sign = negative ? 0x8000u : 0;
  if (magnitude > 0x7f800000u) return static_cast<unsigned short>(sign | 0x7e00u | (magnitude >> 13 & 0x1ffu));
  if (magnitude == 0x7f800000u) return static_cast<unsigned short>(sign | 0x7c00u);
  const int exponent = static_cast<int>(magnitude >> 23) - 127;
  if (exponent > 15) {
    const bool to_infinity = rounding == 0 || (rounding != 3 && negative == (rounding == 1));
    return static_cast<unsigned short>(sign | (to_infinity ? 0x7c00u : 0x7bffu));
  }
  const unsigned mantissa = (magnitude & 0x7fffffu) | (magnitude >> 23 ? 0x800000u : 0);
  const int shift = exponent >= -14 ? 13 : exponent >= -25 ? 13 - 14 - exponent : 25;
  const unsigned units = mantissa >> shift, remainder = mantissa & ((1u << shift) - 1);
  const unsigned rounded = harness_cpu_round_units<rounding>(units, remainder, 1u << (shift - 1), negative);
  const unsigned base = exponent >= -14 ? static_cast<unsigned>(exponent + 14) << 10 : 0;
  return static_cast<unsigned short>(sign | (base + rounded));
}
inline float harness_cpu_half_value(unsigned short bits) {
  const unsigned sign = static_cast<unsigned>(bits & 0x8000u) << 16, exponent = bits >> 10 & 31u,
                 mantissa = bits & 0x3ffu;
  if (exponent == 31) return harness_cpu_bits<float>(sign | 0x7f800000u | mantissa << 13 | (mantissa ? 0x400000u : 0));
  if (exponent == 0)
    return harness_cpu_bits<float>(sign | harness_cpu_bits<unsigned>(static_cast<float>(mantissa) * 0x1p-24f));
  return harness_cpu_bits<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}
#endif

/// bfloat16 is the upper half of a float.
template <int rounding>
inline unsigned short harness_cpu_bfloat_bits(float v) {
  const unsigned bits = harness_cpu_bits<unsigned>(v);
  if (v != v) return 0x7fff;
  unsigned upper = bits >> 16;
  const unsigned lower = bits & 0xffffu;
  const bool negative = bits >> 31;
  if (rounding == 0) upper += lower > 0x8000u || (lower == 0x8000u && (upper & 1u));
  if (rounding == 1 || rounding == 2) upper += lower != 0 && negative == (rounding == 1);
  return static_cast<unsigned short>(upper);
}
inline float harness_cpu_bfloat_value(unsigned short bits) {
  return harness_cpu_bits<float>(static_cast<unsigned>(bits) << 16);
}

/// `v` as a T, which may be narrower: what does not fit becomes the nearest that does.
template <typename T, typename Wide>
inline T harness_cpu_saturated(Wide v) {
  if constexpr (sizeof(T) == sizeof(Wide)) {
    return v;
  } else {
    constexpr Wide lowest = static_cast<T>(-1) < 0 ? -(Wide{1} << (8 * sizeof(T) - 1)) : 0;
    return static_cast<T>(min(max(v, lowest), lowest + (Wide{1} << (8 * sizeof(T))) - 1));
  }
}
