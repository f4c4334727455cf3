#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/device/cpu/compile/elf.h"
#include "harness/device/cpu/guest/harness_cpu/abi.h"

namespace harness::cpu {

/// Where the calling host thread keeps a candidate's __shared__ variables.
struct SharedMemory {
  char* begin = nullptr;  // of all of them
  char* end = nullptr;
  char* dynamic = nullptr;  // the one block of all `extern __shared__` arrays, within [begin, end)
  std::size_t room = 0;     // bytes of it, without the guard behind: a page where no such array is declared

  /// Shared memory holds nothing of the block before: every byte becomes 0xff, a NaN in every floating type.
  void poison(std::size_t dynamic_bytes) const;
  bool poisoned(std::size_t dynamic_bytes) const;  // and nothing has been stored since
  /// False: the block wrote behind its dynamic shared memory.
  bool guard_intact(std::size_t dynamic_bytes) const;
};

/// A __shared__ variable of known size, `offset` bytes behind SharedMemory::begin.
struct SharedVariable {
  std::string name;
  std::size_t offset = 0, bytes = 0;
};

/// What the memory checker has to know of a candidate: its mapped segments and its shared variables.
struct ModuleMemory {
  std::uintptr_t base = 0;  // what offsets into its code count from
  std::uintptr_t begin = 0, end = 0;
  std::uintptr_t writable_begin = 0, writable_end = 0;  // __device__ variables
  std::vector<SharedVariable> shared;                   // ascending
  /// Whether the constructors of a variable have run: the compiler's own, beside arrays of __half. Poisoned, they say
  /// yes; what reads them is no access of the candidate.
  std::vector<SharedVariable> guards;

  bool is_guard(std::size_t offset) const {
    return std::any_of(guards.begin(), guards.end(),
                       [&](const SharedVariable& variable) { return offset - variable.offset < variable.bytes; });
  }
};

/// A loaded candidate. None of its code runs before an entry is called: objects for which the loader would run code are
/// refused (compile/loading.h). Throws LaunchRefused if it cannot be loaded.
class Module {
 public:
  explicit Module(const std::string& path);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// nullptr: the candidate has no such entry.
  const HarnessCpuEntry* find(const std::string& name) const;
  /// The `__constant__` variable of this name, as BuildSpec::constants had it. Throws LaunchRefused if there is none.
  std::span<std::byte> constant(const std::string& symbol) const;
  /// Of the calling thread; the first call on a thread allocates it.
  SharedMemory shared_memory() const;
  /// Built for the memory checker (BuildSpec::checked).
  bool checked() const { return checked_; }
  const ModuleMemory& memory() const { return memory_; }

 private:
  void find_memory(const ElfFacts& facts);

  void* handle_ = nullptr;
  const HarnessCpuModule* module_ = nullptr;
  bool checked_ = false;
  ModuleMemory memory_;
  std::size_t tls_module_ = 0, tls_bytes_ = 0, dynamic_offset_ = 0, dynamic_room_ = 0;
};

}  // namespace harness::cpu
