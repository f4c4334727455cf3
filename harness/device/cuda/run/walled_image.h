#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "harness/core/device.h"
#include "harness/device/cuda/run/read_only_memory.h"

namespace harness::cuda {

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
