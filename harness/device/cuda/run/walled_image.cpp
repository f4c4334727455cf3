#include "harness/device/cuda/run/walled_image.h"

#include <algorithm>

#include "harness/device/cuda/run/graphs.h"

namespace harness::cuda {
bool WalledImage::suits(const Executable& executable) {
  const auto is_library = [](const Step& step) { return std::holds_alternative<LibraryCall>(step); };
  return !executable.layout.read_only.empty() && executable.layout.relocations.empty() &&
         std::ranges::none_of(executable.plan.steps, is_library);
}

WalledImage::WalledImage(const DriverApi& api, Device device, Stream stream, const Executable& executable,
                         std::span<const std::byte> image, DevicePointer base)
    : api_(api), stream_(stream), executable_(executable), base_(base) {
  for (const ImagePages& pages : executable.layout.read_only) {
    inputs_.push_back(std::make_unique<ReadOnlyMemory>(
        api, device, stream,
        image.subspan(static_cast<std::size_t>(pages.offset), static_cast<std::size_t>(pages.bytes))));
    // Nothing of an earlier image stays where the input would lie in an open one.
    check(api,
          api.cuMemsetD8Async(base + static_cast<DevicePointer>(pages.offset), 0xa5,
                              static_cast<std::size_t>(pages.bytes), stream),
          "cuMemsetD8Async");
  }
  for_open_ranges([&](std::int64_t begin, std::int64_t end) {
    check(api,
          api.cuMemcpyHtoDAsync_v2(base + static_cast<DevicePointer>(begin), image.data() + begin,
                                   static_cast<std::size_t>(end - begin), stream),
          "cuMemcpyHtoDAsync");
  });
}

template <typename F>
void WalledImage::for_open_ranges(F f) const {
  std::int64_t begin = 0;
  for (const ImagePages& pages : executable_.layout.read_only) {
    if (begin < pages.offset) f(begin, pages.offset);
    begin = pages.offset + pages.bytes;
  }
  if (begin < executable_.layout.bytes) f(begin, executable_.layout.bytes);
}

DevicePointer WalledImage::address(std::int64_t offset) const {
  const auto& pages = executable_.layout.read_only;
  for (std::size_t i = 0; i < pages.size(); ++i)
    if (offset >= pages[i].offset && offset < pages[i].offset + pages[i].bytes)
      return inputs_[i]->address() + static_cast<DevicePointer>(offset - pages[i].offset);
  return base_ + static_cast<DevicePointer>(offset);
}

Executable WalledImage::addressed() const {
  Executable copy = executable_;
  for (ImageBuffer& buffer : copy.layout.buffers) buffer.offset = static_cast<std::int64_t>(address(buffer.offset));
  return copy;
}

void WalledImage::download(std::span<std::byte> image) const {
  for_open_ranges([&](std::int64_t begin, std::int64_t end) {
    check(api_,
          api_.cuMemcpyDtoHAsync_v2(image.data() + begin, base_ + static_cast<DevicePointer>(begin),
                                    static_cast<std::size_t>(end - begin), stream_),
          "cuMemcpyDtoHAsync");
  });
}

}  // namespace harness::cuda
