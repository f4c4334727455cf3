#pragma once
#include "harness_cpu/abi.h"
#include "harness_cpu/keywords.h"

// The vector types with the sizes and alignments that CUDA documents, and their make_ functions: of two and of four
// elements they are aligned to their size, at most to 16 bytes.
#define HARNESS_VECTOR_TYPES(name, type)                                    \
  struct name##1 {                                                          \
    type x;                                                                 \
  };                                                                        \
  struct __align__(2 * sizeof(type)) name##2 {                              \
    type x, y;                                                              \
  };                                                                        \
  struct name##3 {                                                          \
    type x, y, z;                                                           \
  };                                                                        \
  struct __align__(4 * sizeof(type) < 16 ? 4 * sizeof(type) : 16) name##4 { \
    type x, y, z, w;                                                        \
  };                                                                        \
  inline name##1 make_##name##1(type x) {                                   \
    return {x};                                                             \
  }                                                                         \
  inline name##2 make_##name##2(type x, type y) {                           \
    return {x, y};                                                          \
  }                                                                         \
  inline name##3 make_##name##3(type x, type y, type z) {                   \
    return {x, y, z};                                                       \
  }                                                                         \
  inline name##4 make_##name##4(type x, type y, type z, type w) {           \
    return {x, y, z, w};                                                    \
  }

HARNESS_VECTOR_TYPES(char, signed char)
HARNESS_VECTOR_TYPES(uchar, unsigned char)
HARNESS_VECTOR_TYPES(short, short)
HARNESS_VECTOR_TYPES(ushort, unsigned short)
HARNESS_VECTOR_TYPES(int, int)
HARNESS_VECTOR_TYPES(uint, unsigned)
HARNESS_VECTOR_TYPES(long, long)
HARNESS_VECTOR_TYPES(ulong, unsigned long)
HARNESS_VECTOR_TYPES(longlong, long long)
HARNESS_VECTOR_TYPES(ulonglong, unsigned long long)
HARNESS_VECTOR_TYPES(float, float)
HARNESS_VECTOR_TYPES(double, double)
#undef HARNESS_VECTOR_TYPES

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

static_assert(sizeof(uint3) == sizeof(HarnessCpuIndex) && sizeof(dim3) == sizeof(HarnessCpuIndex));
