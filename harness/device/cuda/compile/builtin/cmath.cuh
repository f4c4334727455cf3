// Not "using ::sqrt": the float overloads must be visible whatever set NVRTC declares globally.
#pragma once
#include <math.h>
#define HARNESS_UNARY(name) \
  __device__ inline float name(float x) { return ::name##f(x); } \
  __device__ inline double name(double x) { return ::name(x); }
#define HARNESS_BINARY(name) \
  __device__ inline float name(float x, float y) { return ::name##f(x, y); } \
  __device__ inline double name(double x, double y) { return ::name(x, y); }
namespace std {
HARNESS_UNARY(sqrt) HARNESS_UNARY(cbrt) HARNESS_UNARY(exp) HARNESS_UNARY(exp2) HARNESS_UNARY(expm1)
HARNESS_UNARY(log) HARNESS_UNARY(log2) HARNESS_UNARY(log10) HARNESS_UNARY(log1p)
HARNESS_UNARY(sin) HARNESS_UNARY(cos) HARNESS_UNARY(tan) HARNESS_UNARY(asin) HARNESS_UNARY(acos) HARNESS_UNARY(atan)
HARNESS_UNARY(sinh) HARNESS_UNARY(cosh) HARNESS_UNARY(tanh) HARNESS_UNARY(erf) HARNESS_UNARY(erfc)
HARNESS_UNARY(floor) HARNESS_UNARY(ceil) HARNESS_UNARY(trunc) HARNESS_UNARY(round) HARNESS_UNARY(rint)
HARNESS_UNARY(nearbyint) HARNESS_UNARY(fabs)
HARNESS_BINARY(pow) HARNESS_BINARY(fmod) HARNESS_BINARY(fmax) HARNESS_BINARY(fmin) HARNESS_BINARY(atan2)
HARNESS_BINARY(hypot) HARNESS_BINARY(copysign) HARNESS_BINARY(remainder)
__device__ inline float abs(float x) { return ::fabsf(x); }
__device__ inline double abs(double x) { return ::fabs(x); }
__device__ inline int abs(int x) { return x < 0 ? -x : x; }
__device__ inline float fma(float x, float y, float z) { return ::fmaf(x, y, z); }
__device__ inline double fma(double x, double y, double z) { return ::fma(x, y, z); }
template <typename T> __device__ inline bool isnan(T x) { return x != x; }
template <typename T> __device__ inline bool isinf(T x) { return x == x && (x - x) != T(0); }
template <typename T> __device__ inline bool isfinite(T x) { return (x - x) == T(0); }
}
#undef HARNESS_UNARY
#undef HARNESS_BINARY
