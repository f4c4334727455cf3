#include "harness/device/cuda/input_sets.h"

#include <algorithm>

#include "harness/device/cuda/check.h"
#include "harness/device/cuda/relocation.h"

namespace harness::cuda {
namespace {

bool restores(const ImageLayout& layout) {
  return std::any_of(layout.buffers.begin(), layout.buffers.end(), [](const auto& b) { return b.restored; });
}

}  // namespace

std::int64_t set_stride(std::int64_t image_bytes) {
  constexpr std::int64_t kPage = 4096;
  return std::max<std::int64_t>(1, (image_bytes + kPage - 1) / kPage) * kPage;
}

std::int64_t count_sets(std::int64_t image_bytes, std::int64_t given, std::int64_t l2_bytes,
                        std::int64_t budget_bytes) {
  constexpr std::int64_t kLeastBytes = 128 << 20, kMostSets = 4096;
  const std::int64_t stride = set_stride(image_bytes);
  const std::int64_t beyond_l2 = (std::max(kLeastBytes, 2 * l2_bytes) + stride - 1) / stride;
  const std::int64_t wanted = std::min(std::max(given, beyond_l2), kMostSets);
  return std::max<std::int64_t>(1, std::min(wanted, budget_bytes / stride));
}

std::int64_t InputSets::bytes_needed(const ImageLayout& layout, std::int64_t images, std::int64_t sets) {
  return set_stride(layout.bytes) * (sets + (restores(layout) ? std::min(images, sets) : 0));
}

InputSets::InputSets(const DriverApi& api, Stream stream, DevicePointer base, const ImageLayout& layout,
                     std::span<const std::span<std::byte>> images, std::int64_t sets)
    : api_(api),
      base_(base),
      layout_(layout),
      images_(std::min(static_cast<std::int64_t>(images.size()), sets)),
      sets_(sets),
      stride_(set_stride(layout.bytes)) {
  // Addresses inside of an image differ from copy to copy: with relocations each copy comes from the host.
  const std::int64_t uploaded = layout.relocations.empty() ? images_ : sets_;
  for (std::int64_t set = 0; set < uploaded; ++set) {
    upload(stream, images[static_cast<std::size_t>(set % images_)], address(set));
  }
  replicate(stream, uploaded);
  if (!has_restored()) return;
  for (std::int64_t image = 0; image < images_; ++image) {
    upload(stream, images[static_cast<std::size_t>(image)], address(sets_ + image));
  }
}

bool InputSets::has_restored() const {
  return restores(layout_);
}

void InputSets::upload(Stream stream, std::span<std::byte> image, DevicePointer address) const {
  const RelocatedImage relocated(layout_, image, address);
  check(api_, api_.cuMemcpyHtoDAsync_v2(address, image.data(), image.size(), stream), "cuMemcpyHtoDAsync");
  // The copy may read the host's bytes until it is done, and they are about to change back.
  if (!layout_.relocations.empty()) check(api_, api_.cuStreamSynchronize(stream), "cuStreamSynchronize");
}

/// Doubles what is filled until all sets are: few copies, and every copy keeps its place modulo the number of images.
void InputSets::replicate(Stream stream, std::int64_t filled) const {
  while (filled < sets_) {
    const std::int64_t whole = filled / images_ * images_;
    const std::int64_t copied = std::min(whole, sets_ - filled);
    check(api_,
          api_.cuMemcpyDtoDAsync_v2(address(filled), address(0), static_cast<std::size_t>(copied * stride_), stream),
          "cuMemcpyDtoDAsync");
    filled += copied;
  }
}

void InputSets::enqueue_restore(Stream stream, std::int64_t set) const {
  const DevicePointer pristine = address(sets_ + set % images_);
  for (const ImageBuffer& buffer : layout_.buffers) {
    if (!buffer.restored || buffer.bytes == 0) continue;
    const auto offset = static_cast<DevicePointer>(buffer.offset);
    check(api_,
          api_.cuMemcpyDtoDAsync_v2(address(set) + offset, pristine + offset, static_cast<std::size_t>(buffer.bytes),
                                    stream),
          "cuMemcpyDtoDAsync");
  }
}

}  // namespace harness::cuda
