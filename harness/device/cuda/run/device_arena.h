#pragma once
#include <cstdint>

#include "harness/device/cuda/api/objects.h"

namespace harness::cuda {

/// Device memory that only grows, kept between uses because an allocation costs more than a short kernel.
class DeviceArena {
 public:
  explicit DeviceArena(const DriverApi& api) : api_(api) {}
  /// At least `bytes` at an address aligned to 4096; what it held before is lost. Throws DeviceMemoryExhausted.
  DevicePointer reserve(std::int64_t bytes);
  std::int64_t capacity() const { return capacity_; }

 private:
  const DriverApi& api_;
  OwnedMemory memory_;
  std::int64_t capacity_ = 0;
};

}  // namespace harness::cuda
