#pragma once
#include <harness/vec.cuh>

namespace harness {

/// The 16 bytes at `p` (a multiple of 16), in memory that no thread writes during the launch. The load is issued where
/// it stands, among the other volatile instructions of the source: a compiler that sinks a plain load to its first use
/// saves registers and makes the latency of memory be paid twice. PTX ISA: ld.global.nc.v4.b32.
template <class T>
__device__ inline Vec<unsigned, 4> load_now(const T* p) {
#ifdef __HARNESS_CPU__
  return load<4>(reinterpret_cast<const unsigned*>(p));
#else
  Vec<unsigned, 4> v;
  asm volatile("ld.global.nc.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.at[0]), "=r"(v.at[1]), "=r"(v.at[2]), "=r"(v.at[3])
               : "l"(p));
  return v;
#endif
}

}  // namespace harness
