#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <harness/accessor.cuh>

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
