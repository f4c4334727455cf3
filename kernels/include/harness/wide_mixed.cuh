#pragma once

// A literal keeps its type where its partner has become a double: fmaxf(x, 0.f) is fmax(double, float) then. g++ has
// that function; to NVRTC it is ambiguous.
#ifndef __HARNESS_CPU__
namespace harness::wide {

template <class T>
constexpr int kReal = 0;
template <>
constexpr int kReal<float> = 1;
template <>
constexpr int kReal<double> = 2;

template <bool>
struct double_if {};
template <>
struct double_if<true> {
  using type = double;
};

// Some are float and some are double, and none is anything else.
template <class A, class B, class C = A>
using mixed = typename double_if<kReal<A> * kReal<B> * kReal<C> != 0 &&
                                 (kReal<A> != kReal<B> || kReal<A> != kReal<C>)>::type;

}  // namespace harness::wide

#define HARNESS_MIXED(function)                                              \
  template <class A, class B>                                                \
  __device__ inline harness::wide::mixed<A, B> function(A a, B b) {          \
    return function(static_cast<double>(a), static_cast<double>(b));         \
  }
HARNESS_MIXED(fmax)
HARNESS_MIXED(fmin)
HARNESS_MIXED(fmod)
HARNESS_MIXED(fdim)
HARNESS_MIXED(pow)
HARNESS_MIXED(atan2)
HARNESS_MIXED(hypot)
HARNESS_MIXED(remainder)
#undef HARNESS_MIXED

template <class A, class B, class C>
__device__ inline harness::wide::mixed<A, B, C> fma(A a, B b, C c) {
  return fma(static_cast<double>(a), static_cast<double>(b), static_cast<double>(c));
}
#endif
