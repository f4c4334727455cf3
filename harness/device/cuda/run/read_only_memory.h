#pragma once
#include <cstddef>
#include <span>

#include "harness/device/cuda/api/objects.h"

namespace harness::cuda {

/// Device memory that can only be read, at whose end nothing is mapped: a store into it, and an access behind it, is a
/// fault (cuMemSetAccess). Whole granules of some 2 MB.
class ReadOnlyMemory {
 public:
  using Parts = std::span<const std::span<const std::byte>>;

  /// Enqueues the copy of `contents` and waits: they end where the memory does.
  ReadOnlyMemory(const DriverApi& api, Device device, Stream stream, std::span<const std::byte> contents)
      : ReadOnlyMemory(api, device, stream, Parts(&contents, 1), 0) {}
  /// Several, `stride` bytes from one to the next, which is no less than any of them and a multiple of 4096: so is the
  /// address.
  ReadOnlyMemory(const DriverApi& api, Device device, Stream stream, Parts parts, std::size_t stride);
  ~ReadOnlyMemory();
  ReadOnlyMemory(const ReadOnlyMemory&) = delete;
  ReadOnlyMemory& operator=(const ReadOnlyMemory&) = delete;
  DevicePointer address() const { return address_ + static_cast<DevicePointer>(mapped_ - bytes_); }

 private:
  void give_back();
  const DriverApi& api_;
  std::size_t granule_ = 0, bytes_ = 0, mapped_ = 0;
  unsigned long long handle_ = 0;
  bool created_ = false, is_mapped_ = false;
  DevicePointer address_ = 0;  // of mapped_ bytes, and a granule that stays empty
};

}  // namespace harness::cuda
