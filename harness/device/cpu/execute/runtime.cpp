
#include <array>
#include <cstdarg>
#include <cstdio>
#include <string>

#include "harness/device/cpu/execute/block.h"
#include "harness/device/cpu/execute/indices.h"
#include "harness/device/cpu/execute/matrix_moves.h"
#include "harness/device/cpu/execute/mma.h"

// The functions and variables of abi.h that candidates call, exported by the program.

thread_local HarnessCpuIndex harness_cpu_thread_idx{};
thread_local HarnessCpuIndex harness_cpu_block_idx{};
thread_local HarnessCpuIndex harness_cpu_block_dim{};
thread_local HarnessCpuIndex harness_cpu_grid_dim{};
thread_local unsigned harness_cpu_passes = 0;

using harness::cpu::BlockChecker;
using harness::cpu::BlockCounter;
using harness::cpu::current_block;
using harness::cpu::current_checker;
using harness::cpu::current_counter;
using harness::cpu::EventKind;
using harness::cpu::Site;

namespace {

/// The descriptor behind a candidate's pointer, which must have the rank that its instruction names.
const HarnessCpuTensorMap& described(const void* map, int rank, const Site& site) {
  const auto& tensor = *static_cast<const HarnessCpuTensorMap*>(map);
  if (tensor.rank == rank) return tensor;
  current_block().report(
      "trap",
      "a tensor map of " + std::to_string(tensor.rank) + " dimensions, and " + std::to_string(rank) + " coordinates",
      site);
  current_block().abandon();
}

}  // namespace

namespace {

constexpr unsigned kWholeWarp = 0xffffffffu;

/// Ends the launch, as a GPU does, if `address` is no multiple of `bytes`.
void require_aligned(const void* address, int bytes, const char* instruction, const char* what, const char* file,
                     int line) {
  if (reinterpret_cast<std::uintptr_t>(address) % static_cast<unsigned>(bytes) == 0) return;
  std::array<char, 128> text;
  std::snprintf(text.data(), text.size(), "%s needs a %s at a multiple of %d bytes", instruction, what, bytes);
  current_block().report("illegal_access", text.data(), {nullptr, file, line});
  current_block().abandon();
}

/// Passes of 128 bytes through the banks of shared memory in which a warpgroup reads the operands of a wgmma: 64 rows
/// of 32 bytes of A, where it is not in registers, and N of B. Its first warp stands for all four.
int operand_passes(const HarnessCpuWgmma& instruction) {
  constexpr int kBytes = 32, kRows = 64, kPass = 128;
  const HarnessCpuIndex &t = harness_cpu_thread_idx, &size = harness_cpu_block_dim;
  const unsigned warp = (t.x + size.x * (t.y + size.y * t.z)) / 32;
  if (warp % 4 != 0) return 0;
  const int rows = instruction.n + (instruction.a_registers ? 0 : kRows);
  return rows * kBytes / kPass;
}

/// What the lanes of a warp do together, where it is counted.
void count(EventKind kind, const void* from) {
  if (BlockCounter* const counter = current_counter()) counter->event(kind, from);
}

/// Whether the calling lane names a row of ldmatrix or stmatrix, which then must be right.
void check_row(const char* instruction, int count, const void* row, int access, const void* from, const char* file,
               int line) {
  const HarnessCpuIndex &t = harness_cpu_thread_idx, &size = harness_cpu_block_dim;
  const unsigned lane = (t.x + size.x * (t.y + size.y * t.z)) % 32;
  if (lane >= 8u * static_cast<unsigned>(count)) return;
  require_aligned(row, 16, instruction, "row", file, line);
  harness_cpu_access(row, 16, access, from);
}

/// Nobody may spin on a flag for ever while the one who sets it waits for a turn.
void yield_to_others(int access) {
  if (access == harness_cpu_volatile_read && (++harness_cpu_passes & 255u) == 0) current_block().yield();
}

[[gnu::noinline]] void tell(BlockCounter& counter, const void* address, unsigned long bytes, int access,
                            const void* from) {
  yield_to_others(access);
  counter.access(reinterpret_cast<std::uintptr_t>(address), bytes, access, from);
}

[[gnu::noinline]] void tell(BlockChecker& checker, const void* address, unsigned long bytes, int access,
                            const void* from) {
  yield_to_others(access);
  if (!checker.access(reinterpret_cast<std::uintptr_t>(address), bytes, access, from))
    current_block().stop("illegal_access");
}

}  // namespace

extern "C" {

int harness_cpu_barrier(int id, unsigned threads, int result, int predicate, const char* name, const char* file,
                        int line) {
  count(EventKind::barrier, __builtin_return_address(0));
  return current_block().barrier(id, threads, result, predicate != 0, {name, file, line});
}

void harness_cpu_barrier_arrive(int id, unsigned threads, const char* file, int line) {
  current_block().barrier_arrive(id, threads, {"barrier arrive", file, line});
}

unsigned long long harness_cpu_warp(int operation, unsigned mask, unsigned long long value, unsigned source,
                                    const char* name, const char* file, int line) {
  if (operation == harness_cpu_warp_shuffle) count(EventKind::shuffle, __builtin_return_address(0));
  return current_block().collective(operation, mask, value, source, {name, file, line});
}

HarnessCpuIndex harness_cpu_cluster(int which) {
  return current_block().cluster_index(which);
}

void harness_cpu_cluster_arrive(const char* file, int line) {
  current_block().cluster_arrive({"cluster_arrive()", file, line});
}

void harness_cpu_cluster_wait(const char* file, int line) {
  count(EventKind::cluster_barrier, __builtin_return_address(0));
  current_block().cluster_wait({"cluster_wait()", file, line});
}

void* harness_cpu_cluster_map(const volatile void* address, unsigned rank, unsigned long bytes, const char* file,
                              int line) {
  return current_block().cluster_map(const_cast<const void*>(address), rank, bytes, {"cluster_map()", file, line});
}

void harness_cpu_yield() {
  current_block().yield();
}

unsigned harness_cpu_shared_address(const void* shared) {
  return current_block().shared_address(shared, 0, {"shared_address()", "", 0});
}

void harness_cpu_mbarrier_init(void* barrier, unsigned arrivals, const char* file, int line) {
  current_block().mbarrier_init(barrier, arrivals, {"mbarrier_init()", file, line});
}
void harness_cpu_mbarrier_arrive(void* barrier, unsigned arrivals, unsigned bytes, const char* file, int line) {
  current_block().mbarrier_arrive(barrier, arrivals, bytes, {"mbarrier_arrive()", file, line});
}
void harness_cpu_mbarrier_wait(void* barrier, unsigned parity, const char* file, int line) {
  current_block().mbarrier_wait(barrier, parity, {"mbarrier_wait()", file, line});
  if (BlockCounter* const counter = current_counter()) counter->passed(barrier, __builtin_return_address(0));
}
int harness_cpu_mbarrier_test(void* barrier, unsigned parity, const char* file, int line) {
  if (!current_block().mbarrier_test(barrier, parity, {"mbarrier_test()", file, line})) return 0;
  if (BlockCounter* const counter = current_counter()) counter->passed(barrier, __builtin_return_address(0));
  return 1;
}

void harness_cpu_tensor_load(void* shared, const void* map, const int* coordinates, int rank, void* barrier,
                             const char* file, int line) {
  const Site site{"tma_load()", file, line};
  current_block().tensor_load(shared, described(map, rank, site), coordinates, barrier, site,
                              __builtin_return_address(0));
}
void harness_cpu_mbarrier_arrive_at(void* barrier, unsigned rank, const char* file, int line) {
  current_block().mbarrier_arrive_at(barrier, rank, {"mbarrier_arrive_at()", file, line});
}
void harness_cpu_tensor_load_multicast(void* shared, const void* map, const int* coordinates, int rank, void* barrier,
                                       unsigned blocks, const char* file, int line) {
  const Site site{"tma_load_multicast()", file, line};
  current_block().tensor_load_multicast(shared, described(map, rank, site), coordinates, barrier, blocks, site,
                                        __builtin_return_address(0));
}
void harness_cpu_tensor_store(const void* map, const int* coordinates, int rank, const void* shared, const char* file,
                              int line) {
  const Site site{"tma_store()", file, line};
  current_block().tensor_store(described(map, rank, site), coordinates, shared, site, __builtin_return_address(0));
}
void harness_cpu_bulk_load(void* shared, const void* global, unsigned bytes, void* barrier, const char* file,
                           int line) {
  current_block().bulk_load(shared, global, bytes, barrier, {"bulk_load()", file, line}, __builtin_return_address(0));
}
void harness_cpu_bulk_store(void* global, const void* shared, unsigned bytes, const char* file, int line) {
  current_block().bulk_store(global, shared, bytes, {"bulk_store()", file, line}, __builtin_return_address(0));
}
void harness_cpu_bulk_commit() {
  current_block().bulk_commit();
}
void harness_cpu_bulk_wait(int pending) {
  current_block().bulk_wait(pending);
}
void harness_cpu_proxy_fence() {
  current_block().proxy_fence();
}

void harness_cpu_grid_wait() {
  if (BlockChecker* const checker = current_checker()) checker->grid_wait();
}

void harness_cpu_grid_launch() {
  if (BlockChecker* const checker = current_checker()) checker->grid_launch();
}

void harness_cpu_wgmma(const HarnessCpuWgmma* instruction, const char* file, int line) {
  if (BlockCounter* const counter = current_counter())
    counter->multiply(operand_passes(*instruction), __builtin_return_address(0));
  current_block().wgmma(*instruction, {"wgmma()", file, line}, __builtin_return_address(0));
}
void harness_cpu_wgmma_commit(const char* file, int line) {
  current_block().wgmma_commit({"wgmma_commit()", file, line});
}
void harness_cpu_wgmma_wait(int pending, const char* file, int line) {
  current_block().wgmma_wait(pending, {"wgmma_wait()", file, line});
}

void harness_cpu_fault(int fault, const char* what, const char* file, int line) {
  const char* const kind = fault == harness_cpu_assertion ? "assertion"
                           : fault == harness_cpu_trap    ? "trap"
                                                          : "illegal_access";
  current_block().report(kind, what, {nullptr, file, line});
  current_block().abandon();
}

// Standard output belongs to the program, so device text goes to standard error, each call in one write.
// Nobody reads what device code prints, and its process may not write. What it asks about its text it is told.
int harness_cpu_printf(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(nullptr, 0, format, arguments);
  va_end(arguments);
  return length;
}

void harness_cpu_mma_m16n8k16(int bf16, float* d, const unsigned* a, unsigned b0, unsigned b1, const char* file,
                              int line) {
  count(EventKind::tensor, __builtin_return_address(0));
  harness::cpu::MmaLane lane{d, a, b0, b1};
  current_block().together(kWholeWarp, &lane, bf16 ? harness::cpu::multiply_bf16 : harness::cpu::multiply_f16,
                           {"mma_m16n8k16()", file, line});
}

void harness_cpu_wmma(int bf16, float* d, const void* a, int a_columns, const void* b, int b_columns, const float* c,
                      const char* file, int line) {
  constexpr int kInstructions = 2;  // that a GPU has for such a product: mma.m16n8k16
  for (int i = 0; i < kInstructions; ++i) count(EventKind::tensor, __builtin_return_address(0));
  harness::cpu::WmmaLane lane{d, a, b, c, a_columns != 0, b_columns != 0};
  current_block().together(kWholeWarp, &lane, bf16 ? harness::cpu::multiply_wmma_bf16 : harness::cpu::multiply_wmma_f16,
                           {"mma_sync()", file, line});
}

void harness_cpu_ldmatrix(int count, int transposed, unsigned* r, const void* row, const char* file, int line) {
  check_row("ldmatrix", count, row, harness_cpu_read, __builtin_return_address(0), file, line);
  harness::cpu::MatrixLane lane{count, static_cast<char*>(const_cast<void*>(row)), r, nullptr};
  current_block().together(kWholeWarp, &lane,
                           transposed ? harness::cpu::load_matrices_transposed : harness::cpu::load_matrices,
                           {"ldmatrix()", file, line});
}

void harness_cpu_stmatrix(int count, int transposed, void* row, const unsigned* r, const char* file, int line) {
  check_row("stmatrix", count, row, harness_cpu_write, __builtin_return_address(0), file, line);
  harness::cpu::MatrixLane lane{count, static_cast<char*>(row), nullptr, r};
  current_block().together(kWholeWarp, &lane,
                           transposed ? harness::cpu::store_matrices_transposed : harness::cpu::store_matrices,
                           {"stmatrix()", file, line});
}

void harness_cpu_cp_async(void* shared, const void* global, int bytes, int valid) {
  require_aligned(shared, bytes, "cp.async", "destination", nullptr, 0);
  require_aligned(global, bytes, "cp.async", "source", nullptr, 0);
  if (valid < 0 || valid > bytes) {
    current_block().report("illegal_access", "cp.async reads from 0 bytes to all that it writes", {});
    current_block().abandon();
  }
  harness_cpu_access(global, static_cast<unsigned long>(valid), harness_cpu_read, __builtin_return_address(0));
  // The checker is told when the bytes arrive; what is counted is the instruction.
  if (current_counter())
    harness_cpu_access(shared, static_cast<unsigned long>(bytes), harness_cpu_async_write, __builtin_return_address(0));
  current_block().copy_async(shared, global, static_cast<std::size_t>(bytes), static_cast<std::size_t>(valid),
                             __builtin_return_address(0));
}

void harness_cpu_cp_async_commit() {
  current_block().commit_copies();
}

void harness_cpu_cp_async_wait(int groups) {
  current_block().wait_for_copies(groups);
  if (BlockCounter* const counter = current_counter()) counter->waited(groups, __builtin_return_address(0));
}

// Static initializers of a checked candidate come here too, outside of any run. Most calls end in the first function,
// which needs no frame.

void harness_cpu_access(const void* address, unsigned long bytes, int access, const void* from) {
  if (BlockCounter* const counter = current_counter()) {
    if (counter->skips(access) || counter->goes_on(reinterpret_cast<std::uintptr_t>(address), bytes, access, from))
      return;
    return tell(*counter, address, bytes, access, from);
  }
  if (BlockChecker* const checker = current_checker()) tell(*checker, address, bytes, access, from);
}

void harness_cpu_fence() {
  if (BlockChecker* const checker = current_checker()) checker->fence();
}

void harness_cpu_compared(int bytes, unsigned long left, unsigned long right, const void* from) {
  if (BlockChecker* const checker = current_checker()) checker->compared(bytes, left, right, from);
}

void harness_cpu_misaligned(const void* address, unsigned long alignment, const char* type, const void* from) {
  BlockChecker* const checker = current_checker();
  if (!checker) return;
  checker->misaligned(reinterpret_cast<std::uintptr_t>(address), alignment, type, from);
  current_block().stop("illegal_access");
}

void harness_cpu_bad_index(long long index, const char* array, const void* from) {
  BlockChecker* const checker = current_checker();
  if (!checker) return;
  checker->index(index, array, from);
  current_block().stop("illegal_access");
}

void harness_cpu_allocated(const void* memory, unsigned long bytes) {
  if (BlockChecker* const checker = current_checker()) checker->allocated(memory, bytes);
}

void harness_cpu_released(const void* memory) {
  if (BlockChecker* const checker = current_checker()) checker->released(memory);
}

}  // extern "C"
