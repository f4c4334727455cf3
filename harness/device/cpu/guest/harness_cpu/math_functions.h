#pragma once
#include "harness_cpu/checked.h"
#include "harness_cpu/vector_types.h"

// Math functions that CUDA has and the host's <math.h> has not, and the fast approximations. An approximation is
// computed exactly here: a GPU's error of a few ULP is not imitated.

#ifdef HARNESS_CPU_COMPARES
#define HARNESS_CPU_CHOSEN(a, b) harness_cpu_chosen(static_cast<long>(a), static_cast<long>(b))
#else
#define HARNESS_CPU_CHOSEN(a, b) static_cast<void>(0)
#endif

// min and max of mixed types, as CUDA resolves them.
#define HARNESS_CPU_MIN_MAX(T, A, B)                                                      \
  inline T min(A a, B b) {                                                                \
    HARNESS_CPU_CHOSEN(a, b);                                                             \
    return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(a) : static_cast<T>(b); \
  }                                                                                       \
  inline T max(A a, B b) {                                                                \
    HARNESS_CPU_CHOSEN(a, b);                                                             \
    return static_cast<T>(a) > static_cast<T>(b) ? static_cast<T>(a) : static_cast<T>(b); \
  }
#define HARNESS_CPU_MIN_MAX_SIGNS(S, U) \
  HARNESS_CPU_MIN_MAX(S, S, S)          \
  HARNESS_CPU_MIN_MAX(U, U, U)          \
  HARNESS_CPU_MIN_MAX(U, S, U)          \
  HARNESS_CPU_MIN_MAX(U, U, S)
HARNESS_CPU_MIN_MAX_SIGNS(int, unsigned)
HARNESS_CPU_MIN_MAX_SIGNS(long, unsigned long)
HARNESS_CPU_MIN_MAX_SIGNS(long long, unsigned long long)
#undef HARNESS_CPU_CHOSEN
inline float min(float a, float b) {
  return fminf(a, b);
}
inline float max(float a, float b) {
  return fmaxf(a, b);
}
inline double min(double a, double b) {
  return fmin(a, b);
}
inline double max(double a, double b) {
  return fmax(a, b);
}
inline double min(float a, double b) {
  return fmin(a, b);
}
inline double max(float a, double b) {
  return fmax(a, b);
}
inline double min(double a, float b) {
  return fmin(a, b);
}
inline double max(double a, float b) {
  return fmax(a, b);
}
inline unsigned umin(unsigned a, unsigned b) {
  return min(a, b);
}
inline unsigned umax(unsigned a, unsigned b) {
  return max(a, b);
}

inline float rsqrtf(float v) {
  return 1.0f / sqrtf(v);
}
inline double rsqrt(double v) {
  return 1.0 / sqrt(v);
}
inline float rsqrt(float v) {
  return rsqrtf(v);
}
inline float rcbrtf(float v) {
  return 1.0f / cbrtf(v);
}
inline double rcbrt(double v) {
  return 1.0 / cbrt(v);
}
inline float fdividef(float a, float b) {
  return a / b;
}
inline float rhypotf(float a, float b) {
  return 1.0f / hypotf(a, b);
}
inline float norm3df(float a, float b, float c) {
  return sqrtf(a * a + b * b + c * c);
}
inline float norm4df(float a, float b, float c, float d) {
  return sqrtf(a * a + b * b + c * c + d * d);
}
inline float rnorm3df(float a, float b, float c) {
  return 1.0f / norm3df(a, b, c);
}
inline float normcdff(float v) {
  return 0.5f * erfcf(-v * 0.70710678f);
}
inline double normcdf(double v) {
  return 0.5 * erfc(-v * 0.70710678118654752440);
}
inline double sinpi(double v) {
  return sin(M_PI * fmod(v, 2.0));
}
inline double cospi(double v) {
  return cos(M_PI * fmod(v, 2.0));
}
inline float sinpif(float v) {
  return static_cast<float>(sinpi(v));
}
inline float cospif(float v) {
  return static_cast<float>(cospi(v));
}
inline void sincospif(float v, float* s, float* c) {
  *s = sinpif(v), *c = cospif(v);
}
inline void sincospi(double v, double* s, double* c) {
  *s = sinpi(v), *c = cospi(v);
}
inline float exp10f(int v) {
  return exp10f(static_cast<float>(v));
}

inline float __saturatef(float v) {
  return v > 0 ? fminf(v, 1.0f) : 0.0f;
}  // NaN becomes 0
inline float __fdividef(float a, float b) {
  return a / b;
}
inline float __frsqrt_rn(float v) {
  return static_cast<float>(1.0 / sqrt(static_cast<double>(v)));
}

// glibc declares these names (and defines none of them).
extern "C" {
inline float __expf(float v) noexcept {
  return expf(v);
}
inline float __exp10f(float v) noexcept {
  return exp10f(v);
}
inline float __logf(float v) noexcept {
  return logf(v);
}
inline float __log2f(float v) noexcept {
  return log2f(v);
}
inline float __log10f(float v) noexcept {
  return log10f(v);
}
inline float __sinf(float v) noexcept {
  return sinf(v);
}
inline float __cosf(float v) noexcept {
  return cosf(v);
}
inline float __tanf(float v) noexcept {
  return tanf(v);
}
inline float __tanhf(float v) noexcept {
  return tanhf(v);
}
inline float __powf(float a, float b) noexcept {
  return powf(a, b);
}
inline void __sincosf(float v, float* s, float* c) noexcept {
  sincosf(v, s, c);
}
}
// The builtin of a candidate's 2^x unit.
inline float __exp2f(float v) {
  return exp2f(v);
}

// Directed rounding of the result in double, which holds a float's product exactly and its sum nearly always.
inline float harness_cpu_toward_zero(double v) {
  const float f = static_cast<float>(v);
  return fabs(static_cast<double>(f)) > fabs(v) ? nextafterf(f, 0.0f) : f;
}
inline float harness_cpu_down(double v) {
  const float f = static_cast<float>(v);
  return static_cast<double>(f) > v ? nextafterf(f, -INFINITY) : f;
}
inline float harness_cpu_up(double v) {
  const float f = static_cast<float>(v);
  return static_cast<double>(f) < v ? nextafterf(f, INFINITY) : f;
}
#define HARNESS_CPU_ROUNDED(name, expression)   \
  inline float name##_rz(float a, float b) {    \
    return harness_cpu_toward_zero(expression); \
  }                                             \
  inline float name##_rd(float a, float b) {    \
    return harness_cpu_down(expression);        \
  }                                             \
  inline float name##_ru(float a, float b) {    \
    return harness_cpu_up(expression);          \
  }
HARNESS_CPU_ROUNDED(__fadd, static_cast<double>(a) + b)
HARNESS_CPU_ROUNDED(__fsub, static_cast<double>(a) - b)
HARNESS_CPU_ROUNDED(__fmul, static_cast<double>(a) * b)
HARNESS_CPU_ROUNDED(__fdiv, static_cast<double>(a) / b)

// _rn forbids contraction into a multiply-add; the optimizer may not look through the barrier.
#ifdef __aarch64__
#define HARNESS_CPU_FLOAT_REGISTER "+w"
#else
#define HARNESS_CPU_FLOAT_REGISTER "+x"
#endif
inline float harness_cpu_opaque(float v) {
  __asm__("" : HARNESS_CPU_FLOAT_REGISTER(v));
  return v;
}
inline double harness_cpu_opaque(double v) {
  __asm__("" : HARNESS_CPU_FLOAT_REGISTER(v));
  return v;
}
inline float __fadd_rn(float a, float b) {
  return harness_cpu_opaque(a) + harness_cpu_opaque(b);
}
inline float __fsub_rn(float a, float b) {
  return harness_cpu_opaque(a) - harness_cpu_opaque(b);
}
inline float __fmul_rn(float a, float b) {
  return harness_cpu_opaque(a * b);
}
inline float __fdiv_rn(float a, float b) {
  return a / b;
}
inline float __frcp_rn(float v) {
  return 1.0f / v;
}
inline float __frcp_rz(float v) {
  return harness_cpu_toward_zero(1.0 / v);
}
inline float __fsqrt_rn(float v) {
  return sqrtf(v);
}
inline float __fmaf_rn(float a, float b, float c) {
  return fmaf(a, b, c);
}
inline float __fmaf_rz(float a, float b, float c) {
  return harness_cpu_toward_zero(static_cast<double>(a) * b + c);
}
inline double __dadd_rn(double a, double b) {
  return harness_cpu_opaque(a) + harness_cpu_opaque(b);
}
inline double __dsub_rn(double a, double b) {
  return harness_cpu_opaque(a) - harness_cpu_opaque(b);
}
inline double __dmul_rn(double a, double b) {
  return harness_cpu_opaque(a * b);
}
inline double __ddiv_rn(double a, double b) {
  return a / b;
}
inline double __drcp_rn(double v) {
  return 1.0 / v;
}
inline double __dsqrt_rn(double v) {
  return sqrt(v);
}
inline double __fma_rn(double a, double b, double c) {
  return fma(a, b, c);
}
