#pragma once
#include <cstddef>
#include <span>

#include "harness/device/cuda/api/objects.h"

namespace harness::cuda {

enum class WalledAccess { read, read_write };

/// Device memory in mappings of its own: nothing lies behind it, so that an access there is a fault, and so is a store
/// into what can only be read (cuMemSetAccess). Whole granules of some 2 MB.
class WalledMemory {
 public:
  using Parts = std::span<const std::span<const std::byte>>;

  /// Enqueues the copy of `contents` and waits. They end as near to the end of the memory as an address allows that
  /// leaves the remainder `phase` when divided by 4096; what lies between is 0xa5.
  WalledMemory(const DriverApi& api, Device device, Stream stream, std::span<const std::byte> contents,
               WalledAccess access, std::size_t phase = 0);
  /// Several that can only be read, `stride` bytes from one to the next, which is no less than any of them and a
  /// multiple of 4096: so is the address.
  WalledMemory(const DriverApi& api, Device device, Stream stream, Parts parts, std::size_t stride);
  ~WalledMemory();
  WalledMemory(const WalledMemory&) = delete;
  WalledMemory& operator=(const WalledMemory&) = delete;
  DevicePointer address() const { return address_ + static_cast<DevicePointer>(begin_); }

 private:
  void create(Device device, Stream stream, Parts parts, std::size_t stride, WalledAccess access);
  void fill(DevicePointer memory, Stream stream, Parts parts, std::size_t stride);
  void give_back();

  const DriverApi& api_;
  std::size_t granule_ = 0, bytes_ = 0, begin_ = 0, mapped_ = 0;
  unsigned long long handle_ = 0;
  bool created_ = false, is_mapped_ = false;
  DevicePointer address_ = 0;  // of mapped_ bytes, and a granule that stays empty
};

}  // namespace harness::cuda
