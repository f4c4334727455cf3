#include "harness/core/image.h"

#include <algorithm>

namespace harness {

const ImageBuffer* find_buffer(const ImageLayout& layout, const std::string& name) {
  const auto found = std::ranges::find(layout.buffers, name, &ImageBuffer::name);
  return found == layout.buffers.end() ? nullptr : &*found;
}

}  // namespace harness
