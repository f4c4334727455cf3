#pragma once

// The flat boundary between a candidate (a shared object compiled from CUDA C++) and the program that loads it. Both
// sides include this file; the program exports the functions and thread-local variables, the candidate exports one
// `harness_cpu_module`. Plain C types only, so that the two sides may be compiled with different language standards.
//
// A GPU thread is a fiber; all fibers of a block live on one thread of the host, which therefore owns one copy of every
// thread-local variable: that is what makes __shared__ variables and these indices per block.

#define HARNESS_CPU_ABI 1
#define HARNESS_CPU_MAX_SHARED 232448 /* bytes a block may have: 227 KB, as on sm_90 */
#define HARNESS_CPU_SHARED_GUARD 256  /* bytes behind the dynamic shared memory that a block must leave alone */
#define HARNESS_CPU_MAX_PARAMETERS 64

#ifdef __cplusplus
extern "C" {
#endif

struct HarnessCpuIndex {
  unsigned x, y, z;
};

/// What __syncthreads and its forms give back.
enum HarnessCpuBarrierResult { harness_cpu_no_result, harness_cpu_count, harness_cpu_and, harness_cpu_or };

/// Warp collectives. `value` is the lane's 64-bit contribution, `source` the lane that a shuffle reads.
enum HarnessCpuWarpOperation {
  harness_cpu_warp_sync,
  harness_cpu_warp_shuffle,
  harness_cpu_warp_ballot,
  harness_cpu_warp_match_any,
  harness_cpu_warp_match_all,
  harness_cpu_warp_add,
  harness_cpu_warp_min_signed,
  harness_cpu_warp_max_signed,
  harness_cpu_warp_min_unsigned,
  harness_cpu_warp_max_unsigned,
  harness_cpu_warp_and,
  harness_cpu_warp_or,
  harness_cpu_warp_xor
};

/// What a checked candidate (checked.h) does with memory. Volatile accesses of global memory are used as flags.
enum HarnessCpuAccess {
  harness_cpu_read,
  harness_cpu_write,
  harness_cpu_volatile_read,
  harness_cpu_volatile_write,
  harness_cpu_atomic_read,
  harness_cpu_atomic_write
};

enum HarnessCpuFault { harness_cpu_assertion, harness_cpu_trap, harness_cpu_illegal_access };

/// A kernel that the plan may launch. `arguments[i]` points at the i-th parameter's value.
struct HarnessCpuEntry {
  const char* name;
  void (*call)(void** arguments);
  int parameters;
  const unsigned* parameter_bytes;
};

struct HarnessCpuModule {
  int abi;
  int entries;
  const struct HarnessCpuEntry* entry;
  char* (*dynamic_shared)(void);  // of the calling host thread
};

/// Waits at barrier `id` (0 is __syncthreads) until `threads` threads of the block have arrived; 0 means all of them.
/// `name` is the function as the source calls it; `file` and `line` are its call site. They live as long as the module.
int harness_cpu_barrier(int id, unsigned threads, int result, int predicate, const char* name, const char* file,
                        int line);
/// Arrives without waiting.
void harness_cpu_barrier_arrive(int id, unsigned threads, const char* file, int line);
unsigned long long harness_cpu_warp(int operation, unsigned mask, unsigned long long value, unsigned source,
                                    const char* name, const char* file, int line);
/// Lets the other threads of the block run.
void harness_cpu_yield(void);
/// Ends the launch. `what` is copied.
__attribute__((noreturn)) void harness_cpu_fault(int fault, const char* what, const char* file, int line);
__attribute__((format(printf, 1, 2))) int harness_cpu_printf(const char* format, ...);

/* Called by checked candidates only, before they do what they tell. `from` is a return address in the candidate. */
void harness_cpu_access(const void* address, unsigned long bytes, int access, const void* from);
void harness_cpu_fence(void);
void harness_cpu_misaligned(const void* address, unsigned long alignment, const char* type, const void* from);
void harness_cpu_bad_index(long long index, const char* array, const void* from);
void harness_cpu_allocated(const void* memory, unsigned long bytes);
void harness_cpu_released(const void* memory);

#ifdef __cplusplus
}
#endif
