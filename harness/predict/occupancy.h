#pragma once
#include <cstdint>

#include "harness/core/gpu.h"

namespace harness {

/// What a block needs.
struct BlockNeeds {
  std::int64_t threads = 0;
  int registers = 0;  // a thread; 0: unknown, and then they limit nothing
  std::int64_t shared_bytes = 0;
};

/// Blocks that a multiprocessor holds at once; 0: not one fits. Registers and shared memory are given out in the units
/// that the facts say (CUDA C++ Programming Guide, compute capabilities).
int blocks_at_once(const GpuFacts& gpu, const BlockNeeds& needs);

}  // namespace harness
