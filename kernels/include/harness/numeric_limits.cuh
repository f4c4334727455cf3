#pragma once

// std::numeric_limits as device code uses it, for compilers that have no <limits> (NVRTC). `harness adopt` includes it
// where a kernel says the word.
#ifndef __CUDACC_RTC__
#include <limits>
#elif __has_include(<limits>)
#include <limits>
#else
namespace std {
template <class T>
struct numeric_limits {
  static constexpr bool is_specialized = false;
};
// What all of them have. The literals are those of <cfloat> and <climits>.
#define HARNESS_LIMITS(T, least, lowest_value, most, integer)                         \
  template <>                                                                         \
  struct numeric_limits<T> {                                                          \
    static constexpr bool is_specialized = true, is_integer = integer;                \
    static constexpr bool is_signed = static_cast<T>(-1) < static_cast<T>(0);         \
    __host__ __device__ static constexpr T min() { return least; }                    \
    __host__ __device__ static constexpr T lowest() { return lowest_value; }          \
    __host__ __device__ static constexpr T max() { return most; }                     \
    __host__ __device__ static constexpr T epsilon() { return HARNESS_EPSILON(T); }   \
    __host__ __device__ static constexpr T infinity() { return HARNESS_INFINITY(T); } \
    __host__ __device__ static constexpr T quiet_NaN() { return HARNESS_NAN(T); }     \
  };
#define HARNESS_EPSILON(T) 1.192092896e-07F
#define HARNESS_INFINITY(T) __builtin_bit_cast(float, 0x7f800000)
#define HARNESS_NAN(T) __builtin_bit_cast(float, 0x7fc00000)
HARNESS_LIMITS(float, 1.175494351e-38F, -3.402823466e+38F, 3.402823466e+38F, false)
#undef HARNESS_EPSILON
#undef HARNESS_INFINITY
#undef HARNESS_NAN
#define HARNESS_EPSILON(T) 2.2204460492503131e-16
#define HARNESS_INFINITY(T) __builtin_bit_cast(double, 0x7ff0000000000000ll)
#define HARNESS_NAN(T) __builtin_bit_cast(double, 0x7ff8000000000000ll)
HARNESS_LIMITS(double, 2.2250738585072014e-308, -1.7976931348623157e+308, 1.7976931348623157e+308, false)
#undef HARNESS_EPSILON
#undef HARNESS_INFINITY
#undef HARNESS_NAN
#define HARNESS_EPSILON(T) static_cast<T>(0)
#define HARNESS_INFINITY(T) static_cast<T>(0)
#define HARNESS_NAN(T) static_cast<T>(0)
#define HARNESS_WHOLE(T, U)                                                                      \
  HARNESS_LIMITS(T, static_cast<T>(-static_cast<T>(static_cast<U>(~static_cast<U>(0)) / 2) - 1), \
                 static_cast<T>(-static_cast<T>(static_cast<U>(~static_cast<U>(0)) / 2) - 1),    \
                 static_cast<T>(static_cast<U>(~static_cast<U>(0)) / 2), true)                   \
  HARNESS_LIMITS(U, 0, 0, static_cast<U>(~static_cast<U>(0)), true)
HARNESS_WHOLE(signed char, unsigned char)
HARNESS_WHOLE(short, unsigned short)
HARNESS_WHOLE(int, unsigned int)
HARNESS_WHOLE(long, unsigned long)
HARNESS_WHOLE(long long, unsigned long long)
#undef HARNESS_WHOLE
#undef HARNESS_EPSILON
#undef HARNESS_INFINITY
#undef HARNESS_NAN
#undef HARNESS_LIMITS
}  // namespace std
#endif
