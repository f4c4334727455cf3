#pragma once

// The standard headers that the emulation uses come first: their own words must not be touched by what follows.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <limits>
#include <type_traits>
#include <utility>

// C++17 adds Bessel functions and their like to std::. With all that they include they were a third of what g++ reads
// before each candidate, and no device code has them. libstdc++ leaves them out when told so.
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#define _GLIBCXX_USE_STD_SPEC_FUNCS 0
#include <math.h>
// As macros they could not be names of somebody's own; C has them as constants too.
#undef FP_NAN
#undef FP_INFINITE
#undef FP_ZERO
#undef FP_SUBNORMAL
#undef FP_NORMAL
#if __has_include(<bits/stl_algobase.h>)  // std::min and std::max, which came with them
#include <bits/stl_algobase.h>
#endif

// The words of CUDA C++ for the host compiler. A block's fibers share one host thread, so a thread-local variable is
// shared by exactly the threads of a block; `extern __shared__` arrays are left undefined by the compiler and are all
// put at the same address when the candidate is linked.
#define __HARNESS_CPU__ 1
#define __CUDACC__ 1
#define __CUDACC_RTC__ 1
// As NVRTC for sm_90a: what a kernel keeps for such a GPU (#if __CUDA_ARCH__ >= 800) is what the gates here see.
#define __CUDA_ARCH__ 900
#define __CUDA_ARCH_FEAT_SM90_ALL 1
#define __CUDA_ARCH_LIST__ 900

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __shared__ thread_local
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __maxnreg__(...)
#define __forceinline__ __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
// The standard library writes __attribute__((__noinline__)), which must stay valid; as advice it changes no result.
#define __noinline__
#define __inline_hint__
