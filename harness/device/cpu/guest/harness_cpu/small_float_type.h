// The type HARNESS_T, its pair HARNESS_T2 and every function that carries the same name for both small float types.
// Included once by cuda_fp16.h and once by cuda_bf16.h, which define
//   HARNESS_T, HARNESS_T2, HARNESS_BITS (rounding of a float), HARNESS_VALUE (a bit pattern's value), and HARNESS_WORD
// (half, bfloat16: what the functions of small_float_functions.h call the type)

struct __align__(2) HARNESS_T {
  unsigned short __x;

  HARNESS_T() = default;
  HARNESS_T(float v) : __x(HARNESS_BITS<0>(v)) {}
  HARNESS_T(double v) : __x(HARNESS_BITS<0>(harness_cpu_to_odd(v))) {}
  HARNESS_T(short v) : HARNESS_T(static_cast<float>(v)) {}
  HARNESS_T(unsigned short v) : HARNESS_T(static_cast<float>(v)) {}
  HARNESS_T(int v) : HARNESS_T(static_cast<double>(v)) {}
  HARNESS_T(unsigned v) : HARNESS_T(static_cast<double>(v)) {}
  HARNESS_T(long v) : HARNESS_T(static_cast<double>(v)) {}
  HARNESS_T(unsigned long v) : HARNESS_T(static_cast<double>(v)) {}
  HARNESS_T(long long v) : HARNESS_T(static_cast<double>(v)) {}
  HARNESS_T(unsigned long long v) : HARNESS_T(static_cast<double>(v)) {}
  operator float() const {
    return HARNESS_VALUE(__x);
  }
};

struct __align__(4) HARNESS_T2 {
  HARNESS_T x, y;

  HARNESS_T2() = default;
  HARNESS_T2(const HARNESS_T& x, const HARNESS_T& y) : x(x), y(y) {}
};

#define HARNESS_SCALAR(name, expression)              \
  inline HARNESS_T name(HARNESS_T a_) {               \
    const float a = a_;                               \
    return HARNESS_T(static_cast<float>(expression)); \
  }
#define HARNESS_BINARY(name, expression)              \
  inline HARNESS_T name(HARNESS_T a_, HARNESS_T b_) { \
    const float a = a_, b = b_;                       \
    return HARNESS_T(static_cast<float>(expression)); \
  }
#define HARNESS_PAIRS(name, scalar)                    \
  inline HARNESS_T2 name(HARNESS_T2 a, HARNESS_T2 b) { \
    return {scalar(a.x, b.x), scalar(a.y, b.y)};       \
  }
#define HARNESS_PAIR(name, scalar)       \
  inline HARNESS_T2 name(HARNESS_T2 a) { \
    return {scalar(a.x), scalar(a.y)};   \
  }

// Arithmetic; _rn forms only promise not to be fused, which nothing here ever is.
HARNESS_BINARY(__hadd, a + b)
HARNESS_BINARY(__hsub, a - b)
HARNESS_BINARY(__hmul, a* b)
HARNESS_BINARY(__hdiv, a / b)
HARNESS_BINARY(__hadd_rn, a + b)
HARNESS_BINARY(__hsub_rn, a - b)
HARNESS_BINARY(__hmul_rn, a* b)
HARNESS_BINARY(__hadd_sat, __saturatef(__hadd(a_, b_)))
HARNESS_BINARY(__hsub_sat, __saturatef(__hsub(a_, b_)))
HARNESS_BINARY(__hmul_sat, __saturatef(__hmul(a_, b_)))
HARNESS_BINARY(__hmax, fmaxf(a, b))
HARNESS_BINARY(__hmin, fminf(a, b))
HARNESS_BINARY(__hmax_nan, a != a || b != b ? NAN : fmaxf(a, b))
HARNESS_BINARY(__hmin_nan, a != a || b != b ? NAN : fminf(a, b))
HARNESS_SCALAR(__hneg, -a)
HARNESS_SCALAR(__habs, fabsf(a))
inline HARNESS_T __hfma(HARNESS_T a, HARNESS_T b, HARNESS_T c) {
  return HARNESS_T(harness_cpu_fma_to_odd(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)));
}
inline HARNESS_T __hfma_sat(HARNESS_T a, HARNESS_T b, HARNESS_T c) {
  return __saturatef(__hfma(a, b, c));
}
inline HARNESS_T __hfma_relu(HARNESS_T a, HARNESS_T b, HARNESS_T c) {
  const float v = __hfma(a, b, c);
  return HARNESS_T(v < 0 ? 0.0f : v);
}
HARNESS_PAIRS(__hadd2, __hadd)
HARNESS_PAIRS(__hsub2, __hsub)
HARNESS_PAIRS(__hmul2, __hmul)
HARNESS_PAIRS(__h2div, __hdiv)
HARNESS_PAIRS(__hadd2_rn, __hadd)
HARNESS_PAIRS(__hsub2_rn, __hsub)
HARNESS_PAIRS(__hmul2_rn, __hmul)
HARNESS_PAIRS(__hadd2_sat, __hadd_sat)
HARNESS_PAIRS(__hsub2_sat, __hsub_sat)
HARNESS_PAIRS(__hmul2_sat, __hmul_sat)
HARNESS_PAIRS(__hmax2, __hmax)
HARNESS_PAIRS(__hmin2, __hmin)
HARNESS_PAIRS(__hmax2_nan, __hmax_nan)
HARNESS_PAIRS(__hmin2_nan, __hmin_nan)
HARNESS_PAIR(__hneg2, __hneg)
HARNESS_PAIR(__habs2, __habs)
inline HARNESS_T2 __hfma2(HARNESS_T2 a, HARNESS_T2 b, HARNESS_T2 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
inline HARNESS_T2 __hfma2_sat(HARNESS_T2 a, HARNESS_T2 b, HARNESS_T2 c) {
  return {__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)};
}
inline HARNESS_T2 __hfma2_relu(HARNESS_T2 a, HARNESS_T2 b, HARNESS_T2 c) {
  return {__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)};
}

// Functions of one value: computed in float, rounded once.
#define HARNESS_FUNCTION(name, expression) \
  HARNESS_SCALAR(h##name, expression)      \
  HARNESS_PAIR(h2##name, h##name)
HARNESS_FUNCTION(exp, expf(a))
HARNESS_FUNCTION(exp2, exp2f(a))
HARNESS_FUNCTION(exp10, exp10f(a))
HARNESS_FUNCTION(log, logf(a))
HARNESS_FUNCTION(log2, log2f(a))
HARNESS_FUNCTION(log10, log10f(a))
HARNESS_FUNCTION(sin, sinf(a))
HARNESS_FUNCTION(cos, cosf(a))
HARNESS_FUNCTION(tanh, tanhf(a))
HARNESS_FUNCTION(tanh_approx, tanhf(a))
HARNESS_FUNCTION(sqrt, sqrtf(a))
HARNESS_FUNCTION(rsqrt, 1.0 / sqrt(static_cast<double>(a)))
HARNESS_FUNCTION(rcp, 1.0f / a)
HARNESS_FUNCTION(ceil, ceilf(a))
HARNESS_FUNCTION(floor, floorf(a))
HARNESS_FUNCTION(trunc, truncf(a))
HARNESS_FUNCTION(rint, rintf(a))

// Comparisons: ordered ones are false for a NaN, those ending in u are true.
#define HARNESS_COMPARE(name, op)                                                                              \
  inline bool __h##name(HARNESS_T a, HARNESS_T b) {                                                            \
    return static_cast<float>(a) op static_cast<float>(b);                                                     \
  }                                                                                                            \
  inline bool __h##name##u(HARNESS_T a, HARNESS_T b) {                                                         \
    const float x = a, y = b;                                                                                  \
    return x != x || y != y || x op y;                                                                         \
  }                                                                                                            \
  inline bool __hb##name##2(HARNESS_T2 a, HARNESS_T2 b) {                                                      \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                                         \
  }                                                                                                            \
  inline bool __hb##name##u2(HARNESS_T2 a, HARNESS_T2 b) {                                                     \
    return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y);                                                   \
  }                                                                                                            \
  inline HARNESS_T2 __h##name##2(HARNESS_T2 a, HARNESS_T2 b) {                                                 \
    return {HARNESS_T(__h##name(a.x, b.x) ? 1.0f : 0.0f), HARNESS_T(__h##name(a.y, b.y) ? 1.0f : 0.0f)};       \
  }                                                                                                            \
  inline HARNESS_T2 __h##name##u2(HARNESS_T2 a, HARNESS_T2 b) {                                                \
    return {HARNESS_T(__h##name##u(a.x, b.x) ? 1.0f : 0.0f), HARNESS_T(__h##name##u(a.y, b.y) ? 1.0f : 0.0f)}; \
  }
HARNESS_COMPARE(eq, ==)
HARNESS_COMPARE(lt, <)
HARNESS_COMPARE(le, <=)
HARNESS_COMPARE(gt, >)
HARNESS_COMPARE(ge, >=)
inline bool __hisnan(HARNESS_T a) {
  return static_cast<float>(a) != static_cast<float>(a);
}
inline int __hisinf(HARNESS_T a) {
  const float v = a;
  return v == INFINITY ? 1 : v == -INFINITY ? -1 : 0;
}
inline HARNESS_T2 __hisnan2(HARNESS_T2 a) {
  return {HARNESS_T(__hisnan(a.x) ? 1.0f : 0.0f), HARNESS_T(__hisnan(a.y) ? 1.0f : 0.0f)};
}
// C++'s !=: true for a NaN. CUDA's __hne is the ordered one.
inline bool __hne(HARNESS_T a, HARNESS_T b) {
  return !__hisnan(a) && !__hisnan(b) && !__heq(a, b);
}
inline bool __hneu(HARNESS_T a, HARNESS_T b) {
  return !__heq(a, b);
}
inline bool __hbne2(HARNESS_T2 a, HARNESS_T2 b) {
  return __hne(a.x, b.x) && __hne(a.y, b.y);
}

#define HARNESS_OPERATOR(op, scalar, pair)                                  \
  inline HARNESS_T operator op(const HARNESS_T& a, const HARNESS_T& b) {    \
    return scalar(a, b);                                                    \
  }                                                                         \
  inline HARNESS_T& operator op##=(HARNESS_T& a, const HARNESS_T& b) {      \
    return a = scalar(a, b);                                                \
  }                                                                         \
  inline HARNESS_T2 operator op(const HARNESS_T2& a, const HARNESS_T2& b) { \
    return pair(a, b);                                                      \
  }                                                                         \
  inline HARNESS_T2& operator op##=(HARNESS_T2& a, const HARNESS_T2& b) {   \
    return a = pair(a, b);                                                  \
  }
HARNESS_OPERATOR(+, __hadd, __hadd2)
HARNESS_OPERATOR(-, __hsub, __hsub2)
HARNESS_OPERATOR(*, __hmul, __hmul2)
HARNESS_OPERATOR(/, __hdiv, __h2div)
inline HARNESS_T operator-(const HARNESS_T& a) {
  return __hneg(a);
}
inline HARNESS_T operator+(const HARNESS_T& a) {
  return a;
}
inline HARNESS_T2 operator-(const HARNESS_T2& a) {
  return __hneg2(a);
}
inline HARNESS_T2 operator+(const HARNESS_T2& a) {
  return a;
}
inline HARNESS_T& operator++(HARNESS_T& a) {
  return a = __hadd(a, HARNESS_T(1.0f));
}
inline HARNESS_T& operator--(HARNESS_T& a) {
  return a = __hsub(a, HARNESS_T(1.0f));
}
#define HARNESS_RELATION(op, scalar, pair)                            \
  inline bool operator op(const HARNESS_T& a, const HARNESS_T& b) {   \
    return scalar(a, b);                                              \
  }                                                                   \
  inline bool operator op(const HARNESS_T2& a, const HARNESS_T2& b) { \
    return pair(a, b);                                                \
  }
HARNESS_RELATION(==, __heq, __hbeq2)
HARNESS_RELATION(!=, __hneu, !__hbeq2)
HARNESS_RELATION(<, __hlt, __hblt2)
HARNESS_RELATION(<=, __hle, __hble2)
HARNESS_RELATION(>, __hgt, __hbgt2)
HARNESS_RELATION(>=, __hge, __hbge2)

inline float __low2float(HARNESS_T2 a) {
  return a.x;
}
inline float __high2float(HARNESS_T2 a) {
  return a.y;
}
inline HARNESS_T2 __lowhigh2highlow(HARNESS_T2 a) {
  return {a.y, a.x};
}

HARNESS_CPU_SHUFFLES(HARNESS_T)
HARNESS_CPU_SHUFFLES(HARNESS_T2)
HARNESS_CPU_ATOMIC_BY(HARNESS_T, atomicAdd, __hadd(old, value))
// One 32-bit exchange: on a GPU only each half is promised to be atomic.
HARNESS_CPU_ATOMIC_BY(HARNESS_T2, atomicAdd, __hadd2(old, value))

#undef HARNESS_SCALAR
#undef HARNESS_BINARY
#undef HARNESS_PAIRS
#undef HARNESS_PAIR
#undef HARNESS_FUNCTION
#undef HARNESS_COMPARE
#undef HARNESS_OPERATOR
#undef HARNESS_RELATION

#include "harness_cpu/small_float_functions.h"
