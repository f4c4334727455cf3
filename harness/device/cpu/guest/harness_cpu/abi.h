#pragma once

// The flat boundary between a candidate (a shared object compiled from CUDA C++) and the program that loads it. Both
// sides include this file; the program exports the functions and thread-local variables, the candidate exports one
// `harness_cpu_module`. Plain C types only, so that the two sides may be compiled with different language standards.
//
// A GPU thread is a fiber; all fibers of a block live on one thread of the host, which therefore owns one copy of every
// thread-local variable: that is what makes __shared__ variables and these indices per block.

#define HARNESS_CPU_ABI 2
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
  harness_cpu_atomic_write,
  harness_cpu_async_read, /* of shared memory, by the async proxy */
  harness_cpu_async_write
};

/// Where a block lies: %cluster_ctaid, %cluster_nctaid, %clusterid and %nclusterid.
enum HarnessCpuClusterIndex {
  harness_cpu_cluster_block,
  harness_cpu_cluster_dim,
  harness_cpu_cluster_of_grid,
  harness_cpu_clusters_of_grid
};

enum HarnessCpuFault { harness_cpu_assertion, harness_cpu_trap, harness_cpu_illegal_access };

/// A kernel that the plan may launch. `arguments[i]` points at the i-th parameter's value.
struct HarnessCpuEntry {
  const char* name;
  void (*call)(void** arguments);
  int parameters;
  const unsigned* parameter_bytes;
};

/// A `__constant__` variable that the plan fills. Candidates with some export `harness_cpu_constants`, an array of them
/// behind whose last `name` is null.
struct HarnessCpuConstant {
  const char* name;
  void* address;
  unsigned long bytes;
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
struct HarnessCpuIndex harness_cpu_cluster(int which);
/// The barrier of the cluster. A thread arrives, then waits until every thread that has not exited has arrived.
void harness_cpu_cluster_arrive(const char* file, int line);
void harness_cpu_cluster_wait(const char* file, int line);
/// Where the block of that rank has what this block has at `address`, which lies in its shared memory. `bytes` > 0:
/// they are about to be accessed, so that block must be running.
void* harness_cpu_cluster_map(const volatile void* address, unsigned rank, unsigned long bytes, const char* file,
                              int line);
/// Lets the other threads of the block run.
void harness_cpu_yield(void);
/// Ends the launch. `what` is copied.
__attribute__((noreturn)) void harness_cpu_fault(int fault, const char* what, const char* file, int line);
__attribute__((format(printf, 1, 2))) int harness_cpu_printf(const char* format, ...);

/// What a CUtensorMap is here: a tensor of `rank` dimensions, innermost first, and the box that one copy moves.
struct HarnessCpuTensorMap {
  char* base;
  unsigned long long stride_bytes[5]; /* of the innermost dimension: element_bytes */
  unsigned extent[5];
  unsigned short box[5];
  unsigned char rank, element_bytes, swizzle_bytes; /* of its span: 0, 32, 64, 128 */
};

/// The address of shared memory as PTX counts it: bytes from the start of the block's window.
unsigned harness_cpu_shared_address(const void* shared);

/* Mbarriers: 8 bytes of shared memory. */
void harness_cpu_mbarrier_init(void* barrier, unsigned arrivals, const char* file, int line);
/// First expects `bytes` more of the current phase, then arrives `arrivals` times.
void harness_cpu_mbarrier_arrive(void* barrier, unsigned arrivals, unsigned bytes, const char* file, int line);
/// Waits until the phase of that parity has completed.
void harness_cpu_mbarrier_wait(void* barrier, unsigned parity, const char* file, int line);
int harness_cpu_mbarrier_test(void* barrier, unsigned parity, const char* file, int line);
/// Arrives once at the barrier that block `rank` of the cluster has where this block has `barrier`.
void harness_cpu_mbarrier_arrive_at(void* barrier, unsigned rank, const char* file, int line);

/* Bulk copies of the async proxy. `coordinates` are the box's first element, innermost dimension first. */
void harness_cpu_tensor_load(void* shared, const void* map, const int* coordinates, int rank, void* barrier,
                             const char* file, int line);
/// To that place of each block of the cluster whose bit is set in `blocks`; each block's barrier gets the bytes.
void harness_cpu_tensor_load_multicast(void* shared, const void* map, const int* coordinates, int rank, void* barrier,
                                       unsigned blocks, const char* file, int line);
void harness_cpu_tensor_store(const void* map, const int* coordinates, int rank, const void* shared, const char* file,
                              int line);
void harness_cpu_bulk_load(void* shared, const void* global, unsigned bytes, void* barrier, const char* file, int line);
void harness_cpu_bulk_store(void* global, const void* shared, unsigned bytes, const char* file, int line);
void harness_cpu_bulk_commit(void);
/// Until at most `pending` of the thread's committed groups of stores have not read their shared memory.
void harness_cpu_bulk_wait(int pending);
/// What the thread has written to shared memory is made visible to the async proxy.
void harness_cpu_proxy_fence(void);

/* Programmatic dependent launch: griddepcontrol.wait and griddepcontrol.launch_dependents. */
void harness_cpu_grid_wait(void);
void harness_cpu_grid_launch(void);

/// One lane's part of wgmma.mma_async m64nNk16: `d` holds n / 2 accumulators; `a_registers` four pairs of 16-bit
/// values, or null, and then `a` is a matrix descriptor as `b` is.
struct HarnessCpuWgmma {
  float* d;
  const unsigned* a_registers;
  unsigned long long a, b;
  int n, accumulate;
  int type; /* of both factors: 0 f16, 1 bf16, 2 e4m3, whose products are 32 deep instead of 16 and both K-major */
  int b_transposed;
};
void harness_cpu_wgmma(const struct HarnessCpuWgmma* instruction, const char* file, int line);
void harness_cpu_wgmma_commit(const char* file, int line);
void harness_cpu_wgmma_wait(int pending, const char* file, int line);

/* What kernels/include/harness has a wrapper for; the layouts are described there. `file` and `line` are the call site.
 */
void harness_cpu_mma_m16n8k16(int bf16, float* d, const unsigned* a, unsigned b0, unsigned b1, const char* file,
                              int line);
/* Of <mma.h>: 8 consecutive elements, row by row, of 16 x 16 matrices. */
void harness_cpu_wmma(int bf16, float* d, const void* a, int a_columns, const void* b, int b_columns, const float* c,
                      const char* file, int line);
void harness_cpu_ldmatrix(int count, int transposed, unsigned* r, const void* row, const char* file, int line);
void harness_cpu_stmatrix(int count, int transposed, void* row, const unsigned* r, const char* file, int line);
void harness_cpu_cp_async(void* shared, const void* global, int bytes, int valid);
void harness_cpu_cp_async_commit(void);
void harness_cpu_cp_async_wait(int groups); /* -1: for all copies, also those of no group */

/* Called by checked candidates only, before they do what they tell. `from` is a return address in the candidate. */
void harness_cpu_access(const void* address, unsigned long bytes, int access, const void* from);
void harness_cpu_fence(void);
void harness_cpu_misaligned(const void* address, unsigned long alignment, const char* type, const void* from);
void harness_cpu_bad_index(long long index, const char* array, const void* from);
/* Two integers of so many bytes, or floating numbers where it is less than 0, are about to be compared. Of a switch
   `bytes` holds, from bit 8 on, which of its cases it is, from 1. One byte more, of either sign: the smaller or the
   larger of the two is taken. */
void harness_cpu_compared(int bytes, unsigned long left, unsigned long right, const void* from);
void harness_cpu_allocated(const void* memory, unsigned long bytes);
void harness_cpu_released(const void* memory);

#ifdef __cplusplus
}
#endif
