#pragma once
#include "harness_cpu/vector_types.h"

// Indices, barriers and warp collectives. Each function that can wait passes its call site on, so that a deadlock can
// be reported as who waits where.

// A thread sees constants; the scheduler writes them when it switches to another thread's fiber.
extern "C" {
extern __thread const uint3 threadIdx __asm__("harness_cpu_thread_idx") __attribute__((tls_model("initial-exec")));
extern __thread const uint3 blockIdx __asm__("harness_cpu_block_idx") __attribute__((tls_model("initial-exec")));
extern __thread const dim3 blockDim __asm__("harness_cpu_block_dim") __attribute__((tls_model("initial-exec")));
extern __thread const dim3 gridDim __asm__("harness_cpu_grid_dim") __attribute__((tls_model("initial-exec")));
extern __thread unsigned harness_cpu_passes __attribute__((tls_model("initial-exec")));
}
constexpr int warpSize = 32;

#define HARNESS_CPU_SITE const char *file = __builtin_FILE(), int line = __builtin_LINE()

inline void __syncthreads(HARNESS_CPU_SITE) {
  harness_cpu_barrier(0, 0, harness_cpu_no_result, 0, "__syncthreads()", file, line);
}
inline int __syncthreads_count(int predicate, HARNESS_CPU_SITE) {
  return harness_cpu_barrier(0, 0, harness_cpu_count, predicate != 0, "__syncthreads_count()", file, line);
}
inline int __syncthreads_and(int predicate, HARNESS_CPU_SITE) {
  return harness_cpu_barrier(0, 0, harness_cpu_and, predicate != 0, "__syncthreads_and()", file, line);
}
inline int __syncthreads_or(int predicate, HARNESS_CPU_SITE) {
  return harness_cpu_barrier(0, 0, harness_cpu_or, predicate != 0, "__syncthreads_or()", file, line);
}
inline void __syncwarp(unsigned mask = 0xffffffffu, HARNESS_CPU_SITE) {
  harness_cpu_warp(harness_cpu_warp_sync, mask, 0, 0, "__syncwarp()", file, line);
}

inline unsigned harness_cpu_lane() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31u;
}
/// Only the caller: which other threads happen to be converged is not defined on a GPU either, and fibers never are.
inline unsigned __activemask() {
  return 1u << harness_cpu_lane();
}

inline unsigned __ballot_sync(unsigned mask, int predicate, HARNESS_CPU_SITE) {
  return static_cast<unsigned>(
      harness_cpu_warp(harness_cpu_warp_ballot, mask, predicate != 0, 0, "__ballot_sync()", file, line));
}
// Lanes that have exited have no vote: all means that no lane votes against.
inline int __all_sync(unsigned mask, int predicate, HARNESS_CPU_SITE) {
  return harness_cpu_warp(harness_cpu_warp_ballot, mask, predicate == 0, 0, "__all_sync()", file, line) == 0;
}
inline int __any_sync(unsigned mask, int predicate, HARNESS_CPU_SITE) {
  return harness_cpu_warp(harness_cpu_warp_ballot, mask, predicate != 0, 0, "__any_sync()", file, line) != 0;
}

// The lane that each kind of shuffle reads (PTX ISA, shfl.sync): segments of `width` lanes, and a lane whose source
// would lie outside its segment keeps its own value.
inline unsigned harness_cpu_source_idx(int source, int width) {
  const unsigned inside = static_cast<unsigned>(width) - 1;
  return (harness_cpu_lane() & ~inside) | (static_cast<unsigned>(source) & inside);
}
inline unsigned harness_cpu_source_up(unsigned delta, int width) {
  const unsigned lane = harness_cpu_lane(), first = lane & ~(static_cast<unsigned>(width) - 1);
  return lane - first >= delta ? lane - delta : lane;
}
inline unsigned harness_cpu_source_down(unsigned delta, int width) {
  const unsigned lane = harness_cpu_lane(), last = lane | (static_cast<unsigned>(width) - 1);
  return last - lane >= delta ? lane + delta : lane;
}
inline unsigned harness_cpu_source_xor(int bits, int width) {
  const unsigned lane = harness_cpu_lane(), last = lane | (static_cast<unsigned>(width) - 1);
  const unsigned source = lane ^ (static_cast<unsigned>(bits) & 31u);
  return source <= last ? source : lane;
}

template <typename T>
inline unsigned long long harness_cpu_pack(const T& value) {
  static_assert(sizeof(T) <= 8);
  unsigned long long bits = 0;
  memcpy(&bits, &value, sizeof value);
  return bits;
}
template <typename T>
inline T harness_cpu_unpack(unsigned long long bits) {
  T value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
template <typename T>
inline T harness_cpu_shuffle(unsigned mask, T value, unsigned source, const char* name, const char* file, int line) {
  return harness_cpu_unpack<T>(
      harness_cpu_warp(harness_cpu_warp_shuffle, mask, harness_cpu_pack(value), source, name, file, line));
}

#define HARNESS_CPU_SHUFFLES(T)                                                                                       \
  inline T __shfl_sync(unsigned mask, T value, int source, int width = 32, HARNESS_CPU_SITE) {                        \
    return harness_cpu_shuffle(mask, value, harness_cpu_source_idx(source, width), "__shfl_sync()", file, line);      \
  }                                                                                                                   \
  inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, HARNESS_CPU_SITE) {                 \
    return harness_cpu_shuffle(mask, value, harness_cpu_source_up(delta, width), "__shfl_up_sync()", file, line);     \
  }                                                                                                                   \
  inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, HARNESS_CPU_SITE) {               \
    return harness_cpu_shuffle(mask, value, harness_cpu_source_down(delta, width), "__shfl_down_sync()", file, line); \
  }                                                                                                                   \
  inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32, HARNESS_CPU_SITE) {                      \
    return harness_cpu_shuffle(mask, value, harness_cpu_source_xor(bits, width), "__shfl_xor_sync()", file, line);    \
  }
HARNESS_CPU_SHUFFLES(int)
HARNESS_CPU_SHUFFLES(unsigned)
HARNESS_CPU_SHUFFLES(long)
HARNESS_CPU_SHUFFLES(unsigned long)
HARNESS_CPU_SHUFFLES(long long)
HARNESS_CPU_SHUFFLES(unsigned long long)
HARNESS_CPU_SHUFFLES(float)
HARNESS_CPU_SHUFFLES(double)

#define HARNESS_CPU_MATCH(T)                                                                                    \
  inline unsigned __match_any_sync(unsigned mask, T value, HARNESS_CPU_SITE) {                                  \
    return static_cast<unsigned>(harness_cpu_warp(harness_cpu_warp_match_any, mask, harness_cpu_pack(value), 0, \
                                                  "__match_any_sync()", file, line));                           \
  }                                                                                                             \
  inline unsigned __match_all_sync(unsigned mask, T value, int* equal, HARNESS_CPU_SITE) {                      \
    const auto lanes = static_cast<unsigned>(harness_cpu_warp(                                                  \
        harness_cpu_warp_match_all, mask, harness_cpu_pack(value), 0, "__match_all_sync()", file, line));       \
    *equal = lanes != 0;                                                                                        \
    return lanes;                                                                                               \
  }
HARNESS_CPU_MATCH(int)
HARNESS_CPU_MATCH(unsigned)
HARNESS_CPU_MATCH(long)
HARNESS_CPU_MATCH(unsigned long)
HARNESS_CPU_MATCH(long long)
HARNESS_CPU_MATCH(unsigned long long)
HARNESS_CPU_MATCH(float)
HARNESS_CPU_MATCH(double)

#define HARNESS_CPU_REDUCE(name, T, operation)                                                                         \
  inline T name(unsigned mask, T value, HARNESS_CPU_SITE) {                                                            \
    return static_cast<T>(harness_cpu_warp(operation, mask, static_cast<unsigned>(value), 0, #name "()", file, line)); \
  }
HARNESS_CPU_REDUCE(__reduce_add_sync, int, harness_cpu_warp_add)
HARNESS_CPU_REDUCE(__reduce_add_sync, unsigned, harness_cpu_warp_add)
HARNESS_CPU_REDUCE(__reduce_min_sync, int, harness_cpu_warp_min_signed)
HARNESS_CPU_REDUCE(__reduce_min_sync, unsigned, harness_cpu_warp_min_unsigned)
HARNESS_CPU_REDUCE(__reduce_max_sync, int, harness_cpu_warp_max_signed)
HARNESS_CPU_REDUCE(__reduce_max_sync, unsigned, harness_cpu_warp_max_unsigned)
HARNESS_CPU_REDUCE(__reduce_and_sync, unsigned, harness_cpu_warp_and)
HARNESS_CPU_REDUCE(__reduce_or_sync, unsigned, harness_cpu_warp_or)
HARNESS_CPU_REDUCE(__reduce_xor_sync, unsigned, harness_cpu_warp_xor)

/// A spin-wait passes here: every 256th pass lets the other threads of the block run.
inline void harness_cpu_pause() {
  if ((++harness_cpu_passes & 255u) == 0) harness_cpu_yield();
}
inline void __threadfence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  harness_cpu_pause();
}
inline void __threadfence_block() {
  __threadfence();
}
inline void __threadfence_system() {
  __threadfence();
}
inline void cudaGridDependencySynchronize() {
  harness_cpu_grid_wait();
}
inline void cudaTriggerProgrammaticLaunchCompletion() {
  harness_cpu_grid_launch();
}
inline void __nanosleep(unsigned) {
  harness_cpu_yield();
}
/// Counts what the emulation counts anyway, and so tells no time: a candidate must not learn when it is timed.
inline long long clock64() {
  harness_cpu_pause();
  return 64ll * harness_cpu_passes;
}
inline int clock() {
  return static_cast<int>(clock64());
}

[[noreturn]] inline void __trap(HARNESS_CPU_SITE) {
  harness_cpu_fault(harness_cpu_trap, "__trap()", file, line);
}
inline void __brkpt() {}
inline void __prof_trigger(int) {}
