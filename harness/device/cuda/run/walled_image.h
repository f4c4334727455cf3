#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/device.h"
#include "harness/device/cuda/api/objects.h"

namespace harness::cuda {

/// Device memory that can only be read, at whose end nothing is mapped: a store into it, and an access behind it, is a
/// fault (cuMemSetAccess). Whole granules of some 2 MB.
class ReadOnlyMemory {
 public:
  /// Enqueues the copy of `contents` and waits: they end where the memory does.
  ReadOnlyMemory(const DriverApi& api, Device device, Stream stream, std::span<const std::byte> contents);
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

/// An image whose inputs lie in ReadOnlyMemory, each of its own (ImageLayout::read_only); everything else lies in one
/// block. For one run.
class WalledImage {
 public:
  /// False: it has no inputs, it holds addresses, or a library runs, whose reads nobody here can mend.
  static bool suits(const Executable& executable);
  /// `base` has room for the image. `executable` must outlive this.
  WalledImage(const DriverApi& api, Device device, Stream stream, const Executable& executable,
              std::span<const std::byte> image, DevicePointer base);

  /// The executable with addresses for offsets: for a base of 0.
  Executable addressed() const;
  /// Enqueues the way back of everything but the inputs, which are as they were.
  void download(std::span<std::byte> image) const;

 private:
  DevicePointer address(std::int64_t offset) const;
  template <typename F>
  void for_open_ranges(F f) const;  // f(begin, end)

  const DriverApi& api_;
  Stream stream_;
  const Executable& executable_;
  DevicePointer base_;
  std::vector<std::unique_ptr<ReadOnlyMemory>> inputs_;  // in the order of ImageLayout::read_only
};

}  // namespace harness::cuda
