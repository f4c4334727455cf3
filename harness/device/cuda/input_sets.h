#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/image.h"
#include "harness/device/cuda/driver_api.h"

namespace harness::cuda {

/// Bytes from one copy of an image to the next: images start at addresses aligned to 4096.
std::int64_t set_stride(std::int64_t image_bytes);

/// How many copies of an image to rotate over: together more than twice the L2 and at least 128 MB, at least `given`,
/// at most 4096, no more than fit into `budget_bytes`, and one in any case.
std::int64_t count_sets(std::int64_t image_bytes, std::int64_t given, std::int64_t l2_bytes, std::int64_t budget_bytes);

/// Copies of painted images at consecutive addresses of the device; copy i holds image i modulo their number. Pristine
/// bytes of `restored` buffers are kept behind them.
class InputSets {
 public:
  /// `base` has room for bytes_needed(). Enqueues the copies on `stream`; the images are unchanged when it returns.
  InputSets(const DriverApi& api, Stream stream, DevicePointer base, const ImageLayout& layout,
            std::span<const std::span<std::byte>> images, std::int64_t sets);

  static std::int64_t bytes_needed(const ImageLayout& layout, std::int64_t images, std::int64_t sets);

  std::int64_t count() const { return sets_; }
  DevicePointer address(std::int64_t set) const { return base_ + static_cast<DevicePointer>(set * stride_); }
  bool has_restored() const;
  /// Enqueues the copies that make the restored buffers of a set pristine again.
  void enqueue_restore(Stream stream, std::int64_t set) const;

 private:
  void upload(Stream stream, std::span<std::byte> image, DevicePointer address) const;
  void replicate(Stream stream, std::int64_t filled) const;

  const DriverApi& api_;
  DevicePointer base_;
  const ImageLayout& layout_;
  std::int64_t images_, sets_, stride_;
};

}  // namespace harness::cuda
