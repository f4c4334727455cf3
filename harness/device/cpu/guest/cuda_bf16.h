#pragma once
#include "harness_cpu/small_float.h"

// bfloat16: the upper half of a float, 8 bits of precision.

#define HARNESS_T __nv_bfloat16
#define HARNESS_T2 __nv_bfloat162
#define HARNESS_BITS harness_cpu_bfloat_bits
#define HARNESS_VALUE harness_cpu_bfloat_value
#define HARNESS_WORD bfloat16
#include "harness_cpu/small_float_type.h"
#undef HARNESS_T
#undef HARNESS_T2
#undef HARNESS_BITS
#undef HARNESS_VALUE
#undef HARNESS_WORD

using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;
struct __nv_bfloat16_raw {
  unsigned short x;
};
struct __nv_bfloat162_raw {
  unsigned short x, y;
};
