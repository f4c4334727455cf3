// What CUDA names after a small float type: its bit patterns, its conversions, and the making of pairs. The end of
// small_float_type.h, with its macros.

#define HARNESS_PASTED(before, word, after) before##word##after
#define HARNESS_JOINED(before, word, after) HARNESS_PASTED(before, word, after)
/// NAMED(__, 2float) is __half2float.
#define HARNESS_NAMED(before, after) HARNESS_JOINED(before, HARNESS_WORD, after)

// Bit patterns.
inline HARNESS_T HARNESS_NAMED(__ushort_as_, )(unsigned short v) {
  return harness_cpu_bits<HARNESS_T>(v);
}
inline HARNESS_T HARNESS_NAMED(__short_as_, )(short v) {
  return harness_cpu_bits<HARNESS_T>(v);
}
inline unsigned short HARNESS_NAMED(__, _as_ushort)(HARNESS_T v) {
  return v.__x;
}
inline short HARNESS_NAMED(__, _as_short)(HARNESS_T v) {
  return static_cast<short>(v.__x);
}

// From and to float and double.
inline float HARNESS_NAMED(__, 2float)(HARNESS_T v) {
  return v;
}
inline HARNESS_T HARNESS_NAMED(__float2, )(float v) {
  return v;
}
inline HARNESS_T HARNESS_NAMED(__double2, )(double v) {
  return v;
}
#define HARNESS_FROM_FLOAT(mode, rounding)                           \
  inline HARNESS_T HARNESS_NAMED(__float2, _##mode)(float v) {       \
    return HARNESS_NAMED(__ushort_as_, )(HARNESS_BITS<rounding>(v)); \
  }
HARNESS_FROM_FLOAT(rn, 0)
HARNESS_FROM_FLOAT(rd, 1)
HARNESS_FROM_FLOAT(ru, 2)
HARNESS_FROM_FLOAT(rz, 3)
#undef HARNESS_FROM_FLOAT

// Pairs.
inline HARNESS_T2 HARNESS_NAMED(make_, 2)(HARNESS_T x, HARNESS_T y) {
  return {x, y};
}
inline HARNESS_T2 HARNESS_JOINED(HARNESS_NAMED(__, 2), HARNESS_WORD, 2)(HARNESS_T v) {
  return {v, v};
}
inline HARNESS_T2 HARNESS_NAMED(__halves2, 2)(HARNESS_T x, HARNESS_T y) {
  return {x, y};
}
inline HARNESS_T2 HARNESS_NAMED(__float2, 2_rn)(float v) {
  return {HARNESS_T(v), HARNESS_T(v)};
}
inline HARNESS_T2 HARNESS_NAMED(__floats2, 2_rn)(float x, float y) {
  return {HARNESS_T(x), HARNESS_T(y)};
}
inline HARNESS_T2 HARNESS_NAMED(__float22, 2_rn)(float2 v) {
  return {HARNESS_T(v.x), HARNESS_T(v.y)};
}
inline float2 HARNESS_NAMED(__, 22float2)(HARNESS_T2 v) {
  return {v.x, v.y};
}
inline HARNESS_T HARNESS_NAMED(__low2, )(HARNESS_T2 v) {
  return v.x;
}
inline HARNESS_T HARNESS_NAMED(__high2, )(HARNESS_T2 v) {
  return v.y;
}
inline HARNESS_T2 HARNESS_NAMED(__low2, 2)(HARNESS_T2 v) {
  return {v.x, v.x};
}
inline HARNESS_T2 HARNESS_NAMED(__high2, 2)(HARNESS_T2 v) {
  return {v.y, v.y};
}
inline HARNESS_T2 HARNESS_NAMED(__lows2, 2)(HARNESS_T2 a, HARNESS_T2 b) {
  return {a.x, b.x};
}
inline HARNESS_T2 HARNESS_NAMED(__highs2, 2)(HARNESS_T2 a, HARNESS_T2 b) {
  return {a.y, b.y};
}

// Integers. Large ones go through double, which holds 32 bits exactly and is far beyond this precision for 64; short
// ones saturate, and are converted by way of int.
#define HARNESS_TO_INTEGER(word, type, wide, mode)                  \
  inline type HARNESS_NAMED(__, 2##word##_##mode)(HARNESS_T v) {    \
    return harness_cpu_saturated<type>(__float2##wide##_##mode(v)); \
  }
#define HARNESS_INTEGER(word, type, wide)                    \
  inline HARNESS_T HARNESS_NAMED(__##word##2, _rn)(type v) { \
    return v;                                                \
  }                                                          \
  HARNESS_TO_INTEGER(word, type, wide, rn)                   \
  HARNESS_TO_INTEGER(word, type, wide, rz)                   \
  HARNESS_TO_INTEGER(word, type, wide, rd)                   \
  HARNESS_TO_INTEGER(word, type, wide, ru)
HARNESS_INTEGER(short, short, int)
HARNESS_INTEGER(ushort, unsigned short, int)
HARNESS_INTEGER(int, int, int)
HARNESS_INTEGER(uint, unsigned, uint)
HARNESS_INTEGER(ll, long long, ll)
HARNESS_INTEGER(ull, unsigned long long, ull)
#undef HARNESS_INTEGER
#undef HARNESS_TO_INTEGER

#undef HARNESS_NAMED
#undef HARNESS_JOINED
#undef HARNESS_PASTED
