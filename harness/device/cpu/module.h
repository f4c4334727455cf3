#pragma once
#include <cstddef>
#include <string>

#include "harness/device/cpu/include/harness_cpu/abi.h"

namespace harness::cpu {

/// Where the calling host thread keeps a candidate's __shared__ variables.
struct SharedMemory {
  char* begin = nullptr;  // of all of them
  char* end = nullptr;
  char* dynamic = nullptr;  // the one block of all `extern __shared__` arrays, within [begin, end)

  /// Shared memory holds nothing of the block before: every byte becomes 0xff, a NaN in every floating type.
  void poison(std::size_t dynamic_bytes) const;
  /// False: the block wrote behind its dynamic shared memory.
  bool guard_intact(std::size_t dynamic_bytes) const;
};

/// A loaded candidate. Loading runs its static initializers. Throws LaunchRefused if it cannot be loaded.
class Module {
 public:
  explicit Module(const std::string& path);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// nullptr: the candidate has no such entry.
  const HarnessCpuEntry* find(const std::string& name) const;
  /// Of the calling thread; the first call on a thread allocates it.
  SharedMemory shared_memory() const;

 private:
  void* handle_ = nullptr;
  const HarnessCpuModule* module_ = nullptr;
};

}  // namespace harness::cpu
