#pragma once

// Everything a kernel finds without an #include, as under NVRTC. Included before the first line of every candidate.

#include <assert.h>

#include "harness_cpu/atomics.h"
#include "harness_cpu/checked.h"
#include "harness_cpu/conversions.h"
#include "harness_cpu/entries.h"
#include "harness_cpu/intrinsics.h"
#include "harness_cpu/keywords.h"
#include "harness_cpu/math_functions.h"
#include "harness_cpu/threads.h"
#include "harness_cpu/vector_types.h"

#define printf(...) harness_cpu_printf(__VA_ARGS__)

// From here on the text that judged, checked and counted builds are made of is one: no macro tells them apart.
#undef __SANITIZE_THREAD__
#undef _GLIBCXX_TSAN              // follows from it
#undef __GCC_HAVE_DWARF2_CFI_ASM  // follows from -g1
#undef HARNESS_CPU_CHECKED
#undef HARNESS_CPU_COMPARES
