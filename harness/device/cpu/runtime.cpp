#include <unistd.h>

#include <array>
#include <cstdarg>
#include <cstdio>
#include <string>

#include "harness/device/cpu/block.h"
#include "harness/device/cpu/indices.h"

// The functions and variables of abi.h that candidates call, exported by the program.

thread_local HarnessCpuIndex harness_cpu_thread_idx{};
thread_local HarnessCpuIndex harness_cpu_block_idx{};
thread_local HarnessCpuIndex harness_cpu_block_dim{};
thread_local HarnessCpuIndex harness_cpu_grid_dim{};
thread_local unsigned harness_cpu_passes = 0;

using harness::cpu::BlockChecker;
using harness::cpu::current_block;
using harness::cpu::current_checker;

extern "C" {

int harness_cpu_barrier(int id, unsigned threads, int result, int predicate, const char* name, const char* file,
                        int line) {
  return current_block().barrier(id, threads, result, predicate != 0, {name, file, line});
}

void harness_cpu_barrier_arrive(int id, unsigned threads, const char* file, int line) {
  current_block().barrier_arrive(id, threads, {"barrier arrive", file, line});
}

unsigned long long harness_cpu_warp(int operation, unsigned mask, unsigned long long value, unsigned source,
                                    const char* name, const char* file, int line) {
  return current_block().collective(operation, mask, value, source, {name, file, line});
}

void harness_cpu_yield() {
  current_block().yield();
}

void harness_cpu_fault(int fault, const char* what, const char* file, int line) {
  const char* const kind = fault == harness_cpu_assertion ? "assertion"
                           : fault == harness_cpu_trap    ? "trap"
                                                          : "illegal_access";
  current_block().report(kind, what, {nullptr, file, line});
  current_block().abandon();
}

// Standard output belongs to the program, so device text goes to standard error, each call in one write.
int harness_cpu_printf(const char* format, ...) {
  std::array<char, 4096> text;
  va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(text.data(), text.size(), format, arguments);
  va_end(arguments);
  if (length < 0) return length;
  const std::size_t shown = std::min<std::size_t>(static_cast<std::size_t>(length), text.size() - 1);
  return write(STDERR_FILENO, text.data(), shown) < 0 ? -1 : length;
}

// Static initializers of a checked candidate come here too, outside of any run.

void harness_cpu_access(const void* address, unsigned long bytes, int access, const void* from) {
  BlockChecker* const checker = current_checker();
  if (!checker) return;
  // Nobody may spin on a flag for ever while the one who sets it waits for a turn.
  if (access == harness_cpu_volatile_read && (++harness_cpu_passes & 255u) == 0) current_block().yield();
  if (!checker->access(reinterpret_cast<std::uintptr_t>(address), bytes, access, from))
    current_block().stop("illegal_access");
}

void harness_cpu_fence() {
  if (BlockChecker* const checker = current_checker()) checker->fence();
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
