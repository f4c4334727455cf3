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
