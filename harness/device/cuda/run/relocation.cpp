#include "harness/device/cuda/run/relocation.h"

#include <fmt/format.h>

#include <cstring>

#include "harness/core/error.h"

namespace harness::cuda {

RelocatedImage::RelocatedImage(const ImageLayout& layout, std::span<std::byte> image, DevicePointer base)
    : layout_(layout), image_(image), base_(base) {
  for (const Relocation& relocation : layout.relocations) {
    if (relocation.at < 0 || static_cast<std::size_t>(relocation.at) + sizeof(std::uint64_t) > image.size()) {
      throw environment_error(
          fmt::format("a relocation at byte {} lies outside of an image of {} bytes.", relocation.at, image.size()));
    }
  }
  for (const Relocation& relocation : layout.relocations) {
    std::uint64_t former = 0;
    const std::uint64_t address = base + static_cast<DevicePointer>(relocation.target);
    std::memcpy(&former, image.data() + relocation.at, sizeof former);
    std::memcpy(image.data() + relocation.at, &address, sizeof address);
    former_.push_back(former);
  }
}

RelocatedImage::~RelocatedImage() {
  for (std::size_t i = 0; i < former_.size(); ++i) {
    const Relocation& relocation = layout_.relocations[i];
    std::uint64_t now = 0;
    std::memcpy(&now, image_.data() + relocation.at, sizeof now);
    if (now != base_ + static_cast<DevicePointer>(relocation.target)) continue;
    std::memcpy(image_.data() + relocation.at, &former_[i], sizeof now);
  }
}

}  // namespace harness::cuda
