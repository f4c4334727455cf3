#pragma once
// Its device side is always there; its host side has no place in a kernel source.
#include "harness_cpu/prelude.h"

typedef struct CUstream_st* cudaStream_t;  // headers for both sides of a program name it
