#include "harness/device/cuda/compile/builtin_headers.h"

namespace harness::cuda {
namespace {

// The 64-bit types are long long, as in the toolkit's own <cuda/std/cstdint>, which also redefines the macros: that is
// what diagnostic 47 would complain about.
constexpr const char* kStdint = R"(#pragma once
#pragma nv_diag_suppress 47
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef long long intptr_t;
typedef unsigned long long uintptr_t;
#ifndef INT8_MAX
#define INT8_MAX 127
#endif
#ifndef INT8_MIN
#define INT8_MIN (-128)
#endif
#ifndef UINT8_MAX
#define UINT8_MAX 255
#endif
#ifndef INT16_MAX
#define INT16_MAX 32767
#endif
#ifndef INT16_MIN
#define INT16_MIN (-32768)
#endif
#ifndef UINT16_MAX
#define UINT16_MAX 65535
#endif
#ifndef INT32_MAX
#define INT32_MAX 2147483647
#endif
#ifndef INT32_MIN
#define INT32_MIN (-2147483647 - 1)
#endif
#ifndef UINT32_MAX
#define UINT32_MAX 4294967295u
#endif
#ifndef INT64_MAX
#define INT64_MAX 9223372036854775807ll
#endif
#ifndef INT64_MIN
#define INT64_MIN (-9223372036854775807ll - 1)
#endif
#ifndef UINT64_MAX
#define UINT64_MAX 18446744073709551615ull
#endif
namespace std {
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t; using ::intptr_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t; using ::uintptr_t;
}
)";

constexpr const char* kStddef = R"(#pragma once
#ifndef offsetof
#define offsetof(type, member) ((decltype(sizeof(0)))&reinterpret_cast<const volatile char&>(((type*)0)->member))
#endif
#ifndef NULL
#define NULL 0
#endif
namespace std {
using size_t = decltype(sizeof(0));
using ptrdiff_t = decltype((char*)0 - (char*)0);
using nullptr_t = decltype(nullptr);
}
)";

constexpr const char* kLimits = R"(#pragma once
#pragma nv_diag_suppress 47
#ifndef CHAR_BIT
#define CHAR_BIT 8
#endif
#ifndef SCHAR_MAX
#define SCHAR_MAX 127
#endif
#ifndef SCHAR_MIN
#define SCHAR_MIN (-128)
#endif
#ifndef UCHAR_MAX
#define UCHAR_MAX 255
#endif
#ifndef SHRT_MAX
#define SHRT_MAX 32767
#endif
#ifndef SHRT_MIN
#define SHRT_MIN (-32768)
#endif
#ifndef USHRT_MAX
#define USHRT_MAX 65535
#endif
#ifndef INT_MAX
#define INT_MAX 2147483647
#endif
#ifndef INT_MIN
#define INT_MIN (-2147483647 - 1)
#endif
#ifndef UINT_MAX
#define UINT_MAX 4294967295u
#endif
#ifndef LONG_MAX
#define LONG_MAX 9223372036854775807l
#endif
#ifndef LONG_MIN
#define LONG_MIN (-9223372036854775807l - 1)
#endif
#ifndef ULONG_MAX
#define ULONG_MAX 18446744073709551615ul
#endif
#ifndef LLONG_MAX
#define LLONG_MAX 9223372036854775807ll
#endif
#ifndef LLONG_MIN
#define LLONG_MIN (-9223372036854775807ll - 1)
#endif
#ifndef ULLONG_MAX
#define ULLONG_MAX 18446744073709551615ull
#endif
)";

constexpr const char* kFloat = R"(#pragma once
#pragma nv_diag_suppress 47
#ifndef FLT_RADIX
#define FLT_RADIX 2
#endif
#ifndef FLT_MANT_DIG
#define FLT_MANT_DIG 24
#endif
#ifndef FLT_DIG
#define FLT_DIG 6
#endif
#ifndef FLT_MAX_EXP
#define FLT_MAX_EXP 128
#endif
#ifndef FLT_MIN_EXP
#define FLT_MIN_EXP (-125)
#endif
#ifndef FLT_MAX
#define FLT_MAX 3.40282346638528859812e+38f
#endif
#ifndef FLT_MIN
#define FLT_MIN 1.17549435082228750797e-38f
#endif
#ifndef FLT_EPSILON
#define FLT_EPSILON 1.19209289550781250000e-07f
#endif
#ifndef DBL_MANT_DIG
#define DBL_MANT_DIG 53
#endif
#ifndef DBL_DIG
#define DBL_DIG 15
#endif
#ifndef DBL_MAX
#define DBL_MAX 1.79769313486231570815e+308
#endif
#ifndef DBL_MIN
#define DBL_MIN 2.22507385850720138309e-308
#endif
#ifndef DBL_EPSILON
#define DBL_EPSILON 2.22044604925031308085e-16
#endif
)";

constexpr const char* kMath = R"(#pragma once
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
#ifndef NAN
#define NAN __int_as_float(0x7fffffff)
#endif
#ifndef HUGE_VALF
#define HUGE_VALF INFINITY
#endif
#define M_E 2.71828182845904523536
#define M_LOG2E 1.44269504088896340736
#define M_LOG10E 0.434294481903251827651
#define M_LN2 0.693147180559945309417
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.707106781186547524401
)";

// Not "using ::sqrt": the float overloads must be visible whatever set NVRTC declares globally.
constexpr const char* kCmath = R"(#pragma once
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
)";

constexpr const char* kTypeTraits = R"(#pragma once
#include <cstddef>
namespace std {
template <typename T, T kValue> struct integral_constant {
  static constexpr T value = kValue;
  using value_type = T;
  using type = integral_constant;
  constexpr operator T() const { return kValue; }
};
template <bool kValue> using bool_constant = integral_constant<bool, kValue>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;
template <typename T, typename U> struct is_same : false_type {};
template <typename T> struct is_same<T, T> : true_type {};
template <bool kIf, typename T, typename U> struct conditional { using type = T; };
template <typename T, typename U> struct conditional<false, T, U> { using type = U; };
template <bool kIf, typename T = void> struct enable_if {};
template <typename T> struct enable_if<true, T> { using type = T; };
template <typename T> struct remove_const { using type = T; };
template <typename T> struct remove_const<const T> { using type = T; };
template <typename T> struct remove_volatile { using type = T; };
template <typename T> struct remove_volatile<volatile T> { using type = T; };
template <typename T> struct remove_cv { using type = typename remove_const<typename remove_volatile<T>::type>::type; };
template <typename T> struct remove_reference { using type = T; };
template <typename T> struct remove_reference<T&> { using type = T; };
template <typename T> struct remove_reference<T&&> { using type = T; };
template <typename T> struct remove_pointer { using type = T; };
template <typename T> struct remove_pointer<T*> { using type = T; };
template <typename T> struct is_pointer : false_type {};
template <typename T> struct is_pointer<T*> : true_type {};
template <typename T> struct is_floating_point
    : bool_constant<is_same<typename remove_cv<T>::type, float>::value || is_same<typename remove_cv<T>::type, double>::value> {};
template <typename T, typename... Ts> struct harness_one_of : bool_constant<(is_same<T, Ts>::value || ...)> {};
template <typename T> struct is_integral
    : harness_one_of<typename remove_cv<T>::type, bool, char, signed char, unsigned char, short, unsigned short, int,
                     unsigned int, long, unsigned long, long long, unsigned long long> {};
template <typename T> struct is_arithmetic : bool_constant<is_integral<T>::value || is_floating_point<T>::value> {};
template <typename...> using void_t = void;
template <typename T, typename U> inline constexpr bool is_same_v = is_same<T, U>::value;
template <typename T> inline constexpr bool is_pointer_v = is_pointer<T>::value;
template <typename T> inline constexpr bool is_integral_v = is_integral<T>::value;
template <typename T> inline constexpr bool is_floating_point_v = is_floating_point<T>::value;
template <typename T> inline constexpr bool is_arithmetic_v = is_arithmetic<T>::value;
template <bool kIf, typename T, typename U> using conditional_t = typename conditional<kIf, T, U>::type;
template <bool kIf, typename T = void> using enable_if_t = typename enable_if<kIf, T>::type;
template <typename T> using remove_const_t = typename remove_const<T>::type;
template <typename T> using remove_cv_t = typename remove_cv<T>::type;
template <typename T> using remove_reference_t = typename remove_reference<T>::type;
template <typename T> using remove_pointer_t = typename remove_pointer<T>::type;
}
)";

constexpr const char* kAlgorithm = R"(#pragma once
namespace std {
template <typename T> __device__ constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <typename T> __device__ constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
template <typename T> __device__ constexpr void swap(T& a, T& b) { T kept = a; a = b; b = kept; }
}
)";

// assert, printf, std::move and std::forward are built into NVRTC.
constexpr const char* kEmpty = "#pragma once\n";

constexpr BuiltinHeader kHeaders[] = {
    {"stdint.h", kStdint},
    {"cstdint", "#pragma once\n#include <stdint.h>\n"},
    {"stddef.h", kStddef},
    {"cstddef", "#pragma once\n#include <stddef.h>\n"},
    {"limits.h", kLimits},
    {"climits", "#pragma once\n#include <limits.h>\n"},
    {"float.h", kFloat},
    {"cfloat", "#pragma once\n#include <float.h>\n"},
    {"math.h", kMath},
    {"cmath", kCmath},
    {"type_traits", kTypeTraits},
    {"algorithm", kAlgorithm},
    {"assert.h", kEmpty},
    {"cassert", kEmpty},
    {"stdio.h", kEmpty},
    {"cstdio", kEmpty},
    {"utility", "#pragma once\n#include <algorithm>\n"},
};

}  // namespace

std::span<const BuiltinHeader> builtin_headers() {
  return kHeaders;
}

}  // namespace harness::cuda
