#pragma once
#include <harness/infinity.cuh>

// What ordinary CUDA C++ finds in headers of the host, for compilers that have none of these (NVRTC): the words of
// <cstdint>, <cfloat>, <climits> and <cmath> that device code uses. `harness adopt` puts it before what it takes.
#ifdef __HARNESS_CPU__
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <limits>
#else
#ifndef INT_MAX
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295U
#endif
#ifndef FLT_MAX
#define FLT_MAX 3.402823466e+38F
#define FLT_MIN 1.175494351e-38F
#define FLT_EPSILON 1.192092896e-07F
#define DBL_MAX 1.7976931348623157e+308
#endif
#ifndef INFINITY
#define INFINITY (harness::kInfinity)
#endif
#ifndef NAN
#define NAN __int_as_float(0x7fffffff)
#endif
#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif
#ifndef M_SQRT1_2
#define M_SQRT1_2 0.70710678118654752440
#endif
#ifndef M_SQRT2
#define M_SQRT2 1.41421356237309504880
#endif
#ifndef M_2_SQRTPI
#define M_2_SQRTPI 1.12837916709551257390
#endif
#ifdef __CUDACC_RTC__
#if __has_include(<cstdint>)  // NVRTC has it from CUDA 13.3 on, and its types need not be these
#include <cstdint>
#else
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef unsigned long long uintptr_t;
namespace std {
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::int8_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::uint8_t;
using ::uintptr_t;
}  // namespace std
#endif
#endif
#endif
// std::min and std::max of functions of the host that compute a grid: those are no functions of the device.
namespace harness {
template <class T>
__host__ __device__ constexpr T least_of(T a, T b) {
  return b < a ? b : a;
}
template <class T>
__host__ __device__ constexpr T most_of(T a, T b) {
  return a < b ? b : a;
}
}  // namespace harness
// Of <sys/types.h>, which is no header of device code.
typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned long ulong;
typedef unsigned char u_char;
typedef unsigned short u_short;
typedef unsigned int u_int;
typedef unsigned long u_long;
