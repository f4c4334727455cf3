#pragma once
#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "harness/core/device.h"
#include "harness/device/cpu/guest/harness_cpu/abi.h"

namespace harness::cpu {

/// The bytes of an argument, as a parameter or a `__constant__` variable holds them: of an input its elements.
/// Throws LaunchRefused for what has none.
std::vector<std::byte> constant_bytes(const ConstantTable& table, const Executable& executable,
                                      std::span<const std::byte> image);

/// The values of a launch's parameters and the array of pointers to them that an entry is called with.
class ArgumentPack {
 public:
  /// `image` is where the executable's layout lies. Throws LaunchRefused for a name that is neither a buffer nor an
  /// argument, a value that does not fit its type, a tensor map that hardware could not encode, or a parameter of
  /// another number or size than the compiled entry's.
  ArgumentPack(const Launch& launch, const HarnessCpuEntry& entry, const Executable& executable,
               std::span<std::byte> image);

  void** pointers() { return pointers_.data(); }
  /// What the entry's call reads.
  std::vector<std::span<const std::byte>> memory() const;

 private:
  struct alignas(64) Chunk {  // of a value: tensor maps are aligned to 64 bytes
    std::byte bytes[64];
  };
  std::deque<std::vector<Chunk>> values_;
  std::vector<std::size_t> sizes_;
  std::vector<void*> pointers_;
};

}  // namespace harness::cpu
