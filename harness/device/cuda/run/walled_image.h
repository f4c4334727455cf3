#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "harness/core/device.h"
#include "harness/device/cuda/run/walled_memory.h"

namespace harness::cuda {

/// An image in parts, each in WalledMemory of its own: the inputs, which can only be read (ImageLayout::read_only), and
/// every other buffer with the guards around it. An access far beyond a buffer is a fault, and no buffer's address
/// follows from another's. For one run.
class WalledImage {
 public:
  /// False: it has no inputs, it holds addresses, or a library runs, whose reads nobody here can mend.
  static bool suits(const Executable& executable);
  /// `executable` must outlive this.
  WalledImage(const DriverApi& api, Device device, Stream stream, const Executable& executable,
              std::span<const std::byte> image);

  /// The executable with addresses for offsets: for a base of 0.
  Executable addressed() const;
  /// Enqueues the way back of everything but the inputs, which are as they were.
  void download(std::span<std::byte> image) const;

 private:
  struct Part {
    std::int64_t begin = 0, end = 0;  // of the image
    WalledAccess access = WalledAccess::read_write;
    std::unique_ptr<WalledMemory> memory = {};
  };
  static std::vector<Part> parts_of(const ImageLayout& layout);
  DevicePointer address(std::int64_t offset) const;

  const DriverApi& api_;
  Stream stream_;
  const Executable& executable_;
  std::vector<Part> parts_;  // in their order
};

}  // namespace harness::cuda
