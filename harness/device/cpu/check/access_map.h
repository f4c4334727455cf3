#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/device.h"

namespace harness::cpu {

/// Which bytes of an image a launch has read and written, kept in the image itself: in the buffers "seen:NAME" of its
/// layout (core/observation.h). An image that has none is not observed.
class AccessMap {
 public:
  AccessMap(const Executable& executable, std::span<std::byte> image);

  bool active() const { return !pairs_.empty(); }
  /// An access at this place of the image, which lies within one buffer.
  void note(std::size_t offset, std::size_t bytes, bool writes, bool atomic);

 private:
  struct Pair {
    std::size_t data = 0, seen = 0, bytes = 0;
  };
  std::span<std::byte> image_;
  std::vector<Pair> pairs_;
};

/// Whether the layout asks for notes.
bool is_observed(const ImageLayout& layout);

}  // namespace harness::cpu
