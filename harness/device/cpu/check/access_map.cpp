#include "harness/device/cpu/check/access_map.h"

#include <algorithm>

#include "harness/core/observation.h"

namespace harness::cpu {

AccessMap::AccessMap(const Executable& executable, std::span<std::byte> image) : image_(image) {
  for (const ImageBuffer& buffer : executable.layout.buffers) {
    const ImageBuffer* const seen = find_buffer(executable.layout, kSeenPrefix + buffer.name);
    if (seen == nullptr) continue;
    pairs_.push_back({static_cast<std::size_t>(buffer.offset), static_cast<std::size_t>(seen->offset),
                      static_cast<std::size_t>(std::min(buffer.bytes, seen->bytes))});
  }
}

void AccessMap::note(std::size_t offset, std::size_t bytes, bool writes, bool atomic) {
  for (const Pair& pair : pairs_) {
    if (offset - pair.data >= pair.bytes) continue;
    const std::size_t first = offset - pair.data, end = std::min(first + bytes, pair.bytes);
    for (std::size_t i = first; i < end; ++i) {
      auto& seen = reinterpret_cast<std::uint8_t&>(image_[pair.seen + i]);
      const bool reads = !writes || atomic;  // an atomic operation reads what it changes
      if (reads && (seen & touch_written) == 0) seen |= touch_read_first;
      if (reads) seen |= touch_read;
      if (writes) seen |= touch_written;
      if (atomic) seen |= touch_atomic;
    }
    return;
  }
}

bool is_observed(const ImageLayout& layout) {
  return std::any_of(layout.buffers.begin(), layout.buffers.end(),
                     [](const ImageBuffer& buffer) { return buffer.name.starts_with(kSeenPrefix); });
}

}  // namespace harness::cpu
