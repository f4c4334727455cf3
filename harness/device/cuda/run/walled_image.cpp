#include "harness/device/cuda/run/walled_image.h"

#include <algorithm>

#include "harness/device/cuda/run/graphs.h"

namespace harness::cuda {
bool WalledImage::suits(const Executable& executable) {
  const auto is_library = [](const Step& step) { return std::holds_alternative<LibraryCall>(step); };
  return !executable.layout.read_only.empty() && executable.layout.relocations.empty() &&
         std::ranges::none_of(executable.plan.steps, is_library);
}

// A buffer's part begins a little before it, so that the guard behind the buffer before it stays whole but for that.
// Views lie within other buffers and begin no part. Guards between inputs lie in none.
std::vector<WalledImage::Part> WalledImage::parts_of(const ImageLayout& layout) {
  constexpr std::int64_t kGuardBefore = 64;
  std::vector<Part> parts;
  std::int64_t begin = 0, end_of_buffers = 0;
  bool holds_buffer = false;
  const auto end_open_part = [&](std::int64_t end) {
    if (holds_buffer) parts.push_back({begin, end});
    begin = end;
    holds_buffer = false;
  };
  auto pages = layout.read_only.begin();
  const auto pass_inputs = [&](std::int64_t up_to) {
    for (; pages != layout.read_only.end() && pages->offset <= up_to; ++pages) {
      end_open_part(pages->offset);
      begin = pages->offset + pages->bytes;
      parts.push_back({pages->offset, begin, WalledAccess::read});
    }
  };
  for (const ImageBuffer& buffer : layout.buffers) {
    if (buffer.offset < end_of_buffers) continue;
    pass_inputs(buffer.offset);
    end_of_buffers = buffer.offset + buffer.bytes;
    if (buffer.offset < begin) continue;  // an input
    if (holds_buffer) end_open_part(buffer.offset - kGuardBefore);
    holds_buffer = true;
  }
  pass_inputs(layout.bytes);
  end_open_part(layout.bytes);
  return parts;
}

WalledImage::WalledImage(const DriverApi& api, Device device, Stream stream, const Executable& executable,
                         std::span<const std::byte> image)
    : api_(api), stream_(stream), executable_(executable), parts_(parts_of(executable.layout)) {
  for (Part& part : parts_)
    part.memory = std::make_unique<WalledMemory>(
        api, device, stream,
        image.subspan(static_cast<std::size_t>(part.begin), static_cast<std::size_t>(part.end - part.begin)),
        part.access, static_cast<std::size_t>(part.begin % kPageBytes));
}

DevicePointer WalledImage::address(std::int64_t offset) const {
  const auto behind = std::ranges::upper_bound(parts_, offset, {}, &Part::begin);
  const Part& part = *std::prev(behind);
  return part.memory->address() + static_cast<DevicePointer>(offset - part.begin);
}

Executable WalledImage::addressed() const {
  Executable copy = executable_;
  for (ImageBuffer& buffer : copy.layout.buffers) buffer.offset = static_cast<std::int64_t>(address(buffer.offset));
  return copy;
}

void WalledImage::download(std::span<std::byte> image) const {
  for (const Part& part : parts_)
    if (part.access == WalledAccess::read_write)
      check(api_,
            api_.cuMemcpyDtoHAsync_v2(image.data() + part.begin, part.memory->address(),
                                      static_cast<std::size_t>(part.end - part.begin), stream_),
            "cuMemcpyDtoHAsync");
}

}  // namespace harness::cuda
