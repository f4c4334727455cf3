#pragma once
#include "harness_cpu/small_float.h"

// binary16: 5 bits of exponent, 11 of precision.

#define HARNESS_T __half
#define HARNESS_T2 __half2
#define HARNESS_BITS harness_cpu_half_bits
#define HARNESS_VALUE harness_cpu_half_value
#define HARNESS_WORD half
#include "harness_cpu/small_float_type.h"
#undef HARNESS_T
#undef HARNESS_T2
#undef HARNESS_BITS
#undef HARNESS_VALUE
#undef HARNESS_WORD

using half = __half;
using half2 = __half2;
struct __half_raw {
  unsigned short x;
};
struct __half2_raw {
  unsigned short x, y;
};
