#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"

// The two 8-bit floating types. e4m3 has no infinity and one NaN (0x7f), up to 448; e5m2 is a short binary16, up to
// 57344. Constructors saturate to the largest finite value, as CUDA's do; a NaN stays one.

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

struct HarnessCpuFp8Format {
  int mantissa, bias;
  unsigned largest;   // code of the largest finite value
  unsigned overflow;  // code that a larger value gets without saturation
};
inline constexpr HarnessCpuFp8Format harness_cpu_fp8_format(__nv_fp8_interpretation_t kind) {
  return kind == __NV_E4M3 ? HarnessCpuFp8Format{3, 7, 0x7e, 0x7f} : HarnessCpuFp8Format{2, 15, 0x7b, 0x7c};
}

inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float v, __nv_saturation_t saturation, __nv_fp8_interpretation_t kind) {
  const HarnessCpuFp8Format format = harness_cpu_fp8_format(kind);
  const unsigned sign = __float_as_uint(v) >> 31 << 7;
  if (v != v) return static_cast<__nv_fp8_storage_t>(0x7f);
  unsigned code = format.largest + 1;
  if (fabsf(v) < 0x1p17f) {
    int exponent;
    frexpf(v, &exponent);
    exponent = v == 0 ? 1 - format.bias : max(exponent - 1, 1 - format.bias);
    const auto steps = static_cast<unsigned>(rintf(ldexpf(fabsf(v), format.mantissa - exponent)));
    code = (static_cast<unsigned>(exponent + format.bias - 1) << format.mantissa) + steps;
  }
  if (code > format.largest) code = saturation == __NV_SATFINITE ? format.largest : format.overflow;
  return static_cast<__nv_fp8_storage_t>(sign | code);
}
inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double v, __nv_saturation_t saturation,
                                                 __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float_to_fp8(harness_cpu_to_odd(v), saturation, kind);
}
inline float harness_cpu_fp8_value(__nv_fp8_storage_t bits, __nv_fp8_interpretation_t kind) {
  const HarnessCpuFp8Format format = harness_cpu_fp8_format(kind);
  const unsigned code = bits & 0x7fu;
  float value;
  if (code > format.largest) {
    value = code == 0x7c && kind == __NV_E5M2 ? INFINITY : NAN;
  } else {
    const int exponent = static_cast<int>(code >> format.mantissa),
              fraction = static_cast<int>(code & ((1u << format.mantissa) - 1));
    const int steps = exponent == 0 ? fraction : fraction + (1 << format.mantissa);
    value = ldexpf(static_cast<float>(steps), max(exponent, 1) - format.bias - format.mantissa);
  }
  return bits & 0x80u ? -value : value;
}
inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t bits, __nv_fp8_interpretation_t kind) {
  return {__half(harness_cpu_fp8_value(bits, kind)).__x};
}
inline __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 v, __nv_saturation_t saturation,
                                                     __nv_fp8_interpretation_t kind) {
  return static_cast<__nv_fp8x2_storage_t>(__nv_cvt_float_to_fp8(v.x, saturation, kind) |
                                           __nv_cvt_float_to_fp8(v.y, saturation, kind) << 8);
}
inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t bits, __nv_fp8_interpretation_t kind) {
  return {__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(bits), kind).x,
          __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(bits >> 8), kind).x};
}

#define HARNESS_FP8(name, kind)                                                                           \
  struct __nv_fp8_##name {                                                                                \
    __nv_fp8_storage_t __x;                                                                               \
    __nv_fp8_##name() = default;                                                                          \
    explicit __nv_fp8_##name(float v) : __x(__nv_cvt_float_to_fp8(v, __NV_SATFINITE, kind)) {}            \
    explicit __nv_fp8_##name(double v) : __x(__nv_cvt_double_to_fp8(v, __NV_SATFINITE, kind)) {}          \
    explicit __nv_fp8_##name(__half v) : __nv_fp8_##name(static_cast<float>(v)) {}                        \
    explicit __nv_fp8_##name(__nv_bfloat16 v) : __nv_fp8_##name(static_cast<float>(v)) {}                 \
    explicit __nv_fp8_##name(int v) : __nv_fp8_##name(static_cast<double>(v)) {}                          \
    explicit operator float() const { return harness_cpu_fp8_value(__x, kind); }                          \
    explicit operator double() const { return harness_cpu_fp8_value(__x, kind); }                         \
    explicit operator __half() const { return __half(harness_cpu_fp8_value(__x, kind)); }                 \
    explicit operator __nv_bfloat16() const { return __nv_bfloat16(harness_cpu_fp8_value(__x, kind)); }   \
  };                                                                                                      \
  struct __align__(2) __nv_fp8x2_##name {                                                                 \
    __nv_fp8x2_storage_t __x;                                                                             \
    __nv_fp8x2_##name() = default;                                                                        \
    explicit __nv_fp8x2_##name(float2 v) : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, kind)) {}      \
    explicit operator float2() const {                                                                    \
      return {harness_cpu_fp8_value(static_cast<__nv_fp8_storage_t>(__x), kind),                          \
              harness_cpu_fp8_value(static_cast<__nv_fp8_storage_t>(__x >> 8), kind)};                    \
    }                                                                                                     \
  };                                                                                                      \
  struct __align__(4) __nv_fp8x4_##name {                                                                 \
    __nv_fp8x4_storage_t __x;                                                                             \
    __nv_fp8x4_##name() = default;                                                                        \
    explicit __nv_fp8x4_##name(float4 v)                                                                  \
        : __x(__nv_cvt_float2_to_fp8x2({v.x, v.y}, __NV_SATFINITE, kind) |                                \
              static_cast<unsigned>(__nv_cvt_float2_to_fp8x2({v.z, v.w}, __NV_SATFINITE, kind)) << 16) {} \
    explicit operator float4() const {                                                                    \
      const auto value = [this](int i) {                                                                  \
        return harness_cpu_fp8_value(static_cast<__nv_fp8_storage_t>(__x >> (8 * i)), kind);              \
      };                                                                                                  \
      return {value(0), value(1), value(2), value(3)};                                                    \
    }                                                                                                     \
  };
HARNESS_FP8(e4m3, __NV_E4M3)
HARNESS_FP8(e5m2, __NV_E5M2)
#undef HARNESS_FP8
