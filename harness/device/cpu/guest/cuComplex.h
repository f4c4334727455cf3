#pragma once
// Complex numbers of CUDA's C interface: a pair, the real part first.
#include "harness_cpu/prelude.h"

using cuFloatComplex = float2;
using cuDoubleComplex = double2;
using cuComplex = cuFloatComplex;

#define HARNESS_CPU_COMPLEX(Complex, Real, make, real, imag, conj, add, sub, mul, div, abs)              \
  __device__ inline Complex make(Real r, Real i) {                                                       \
    return {r, i};                                                                                       \
  }                                                                                                      \
  __device__ inline Real real(Complex z) {                                                               \
    return z.x;                                                                                          \
  }                                                                                                      \
  __device__ inline Real imag(Complex z) {                                                               \
    return z.y;                                                                                          \
  }                                                                                                      \
  __device__ inline Complex conj(Complex z) {                                                            \
    return {z.x, -z.y};                                                                                  \
  }                                                                                                      \
  __device__ inline Complex add(Complex a, Complex b) {                                                  \
    return {a.x + b.x, a.y + b.y};                                                                       \
  }                                                                                                      \
  __device__ inline Complex sub(Complex a, Complex b) {                                                  \
    return {a.x - b.x, a.y - b.y};                                                                       \
  }                                                                                                      \
  __device__ inline Complex mul(Complex a, Complex b) {                                                  \
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                                               \
  }                                                                                                      \
  __device__ inline Complex div(Complex a, Complex b) {                                                  \
    const Real s = Real(1) / (fabs(b.x) + fabs(b.y)), x = b.x * s, y = b.y * s, n = s / (x * x + y * y); \
    return {(a.x * x + a.y * y) * n, (a.y * x - a.x * y) * n};                                           \
  }                                                                                                      \
  __device__ inline Real abs(Complex z) {                                                                \
    return hypot(z.x, z.y);                                                                              \
  }

HARNESS_CPU_COMPLEX(cuFloatComplex, float, make_cuFloatComplex, cuCrealf, cuCimagf, cuConjf, cuCaddf, cuCsubf, cuCmulf,
                    cuCdivf, cuCabsf)
HARNESS_CPU_COMPLEX(cuDoubleComplex, double, make_cuDoubleComplex, cuCreal, cuCimag, cuConj, cuCadd, cuCsub, cuCmul,
                    cuCdiv, cuCabs)
#undef HARNESS_CPU_COMPLEX

__device__ inline cuComplex make_cuComplex(float r, float i) {
  return {r, i};
}
