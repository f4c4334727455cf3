#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <harness/accessor.cuh>
#include <harness/numeric_limits.cuh>

// The scalar types that kernels of PyTorch extensions name, as the types that they are on the device.
namespace c10 {
using Half = __half;
using BFloat16 = __nv_bfloat16;
}  // namespace c10

namespace at {
using c10::BFloat16;
using c10::Half;

/// The type that sums of T are made in.
template <class T>
struct OpMathType {
  using type = T;
};
template <>
struct OpMathType<__half> {
  using type = float;
};
template <>
struct OpMathType<__nv_bfloat16> {
  using type = float;
};
template <class T>
using opmath_type = typename OpMathType<T>::type;
template <class T, bool on_device = true>
using acc_type = opmath_type<T>;

template <class T>
struct DefaultPtrTraits {
  using PtrType = T*;
};
template <class T>
struct RestrictPtrTraits {
  using PtrType = T*;
};
template <class T, unsigned long N, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor32 = harness::Accessor<T, static_cast<int>(N), int>;
template <class T, unsigned long N, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor64 = harness::Accessor<T, static_cast<int>(N), long long>;
template <class T, unsigned long N, template <class> class Traits = DefaultPtrTraits, class Index = long long>
using GenericPackedTensorAccessor = harness::Accessor<T, static_cast<int>(N), Index>;
template <class T, unsigned long N, template <class> class Traits = DefaultPtrTraits, class Index = long long>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, Traits, Index>;
}  // namespace at

namespace torch {
using namespace at;
}  // namespace torch

// PyTorch's own types become a float and nothing else, so that max and min of two are those of floats. The device's own
// become any number.
__host__ __device__ inline float max(__half a, __half b) { return fmaxf(float(a), float(b)); }
__host__ __device__ inline float min(__half a, __half b) { return fminf(float(a), float(b)); }
__host__ __device__ inline float max(__nv_bfloat16 a, __nv_bfloat16 b) { return fmaxf(float(a), float(b)); }
__host__ __device__ inline float min(__nv_bfloat16 a, __nv_bfloat16 b) { return fminf(float(a), float(b)); }

// They have limits, too. Without them `-std::numeric_limits<scalar_t>::infinity()` would be a zero.
namespace std {
#define HARNESS_TORCH_LIMITS(T, least, lowest_value, most, step, infinite, nan)                        \
  template <>                                                                                          \
  struct numeric_limits<T> {                                                                           \
    static constexpr bool is_specialized = true, is_integer = false, is_signed = true;                 \
    static constexpr bool has_infinity = true, has_quiet_NaN = true;                                   \
    using Bits = unsigned short;                                                                       \
    __host__ __device__ static constexpr T of(Bits bits) { return __builtin_bit_cast(T, bits); }       \
    __host__ __device__ static constexpr T min() { return of(least); }                                 \
    __host__ __device__ static constexpr T lowest() { return of(lowest_value); }                       \
    __host__ __device__ static constexpr T max() { return of(most); }                                  \
    __host__ __device__ static constexpr T epsilon() { return of(step); }                              \
    __host__ __device__ static constexpr T infinity() { return of(infinite); }                         \
    __host__ __device__ static constexpr T quiet_NaN() { return of(nan); }                             \
  };
HARNESS_TORCH_LIMITS(__half, 0x0400, 0xfbff, 0x7bff, 0x1400, 0x7c00, 0x7e00)
HARNESS_TORCH_LIMITS(__nv_bfloat16, 0x0080, 0xff7f, 0x7f7f, 0x3c00, 0x7f80, 0x7fc0)
#undef HARNESS_TORCH_LIMITS
}  // namespace std
