#pragma once

namespace harness {

/// The address of shared memory as instructions with a .shared operand take it: 32 bits, from the start of the block's
/// window. `p` is a generic pointer into __shared__ memory.
__device__ inline unsigned shared_address(const void* p) {
#ifdef __HARNESS_CPU__
  return harness_cpu_shared_address(p);
#else
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
#endif
}

}  // namespace harness
