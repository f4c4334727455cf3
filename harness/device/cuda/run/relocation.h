#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/image.h"
#include "harness/device/cuda/api/driver_api.h"

namespace harness::cuda {

/// A host image whose buffers of pointers hold device addresses for as long as this lives. Afterwards each word that
/// still holds the address written here has its former bytes again, so that a judge sees only what a kernel changed.
class RelocatedImage {
 public:
  /// Throws Error if a relocation lies outside of the image.
  RelocatedImage(const ImageLayout& layout, std::span<std::byte> image, DevicePointer base);
  ~RelocatedImage();
  RelocatedImage(const RelocatedImage&) = delete;
  RelocatedImage& operator=(const RelocatedImage&) = delete;

 private:
  const ImageLayout& layout_;
  std::span<std::byte> image_;
  DevicePointer base_;
  std::vector<std::uint64_t> former_;
};

}  // namespace harness::cuda
