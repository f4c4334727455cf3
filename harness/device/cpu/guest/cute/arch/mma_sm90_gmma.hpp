#pragma once

// Its fences name registers of a GPU wherever there is an architecture.
#pragma push_macro("__CUDA_ARCH__")
#undef __CUDA_ARCH__
#include_next <cute/arch/mma_sm90_gmma.hpp>
#pragma pop_macro("__CUDA_ARCH__")
