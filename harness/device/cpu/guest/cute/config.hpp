#pragma once

// CuTe believes that it is compiled by NVRTC. It would specialize templates of cuda::std, which here is std itself, and
// use inline PTX, of which it has none before sm_61: what needs that then stops with a sentence of CuTe's own.
#include_next <cute/config.hpp>
#undef CUTE_STL_NAMESPACE
#define CUTE_STL_NAMESPACE std
#undef CUTE_STL_NAMESPACE_IS_CUDA_STD
#define CUTE_CVTA_GENERIC_TO_SHARED_SUPPORTED 1
#undef __CUDA_ARCH_FEAT_SM90_ALL
#undef __CUDA_ARCH__
#define __CUDA_ARCH__ 600
