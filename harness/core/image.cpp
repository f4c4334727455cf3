#include "harness/core/image.h"

#include <algorithm>

#include "harness/core/json_fields.h"

namespace harness {

const ImageBuffer* find_buffer(const ImageLayout& layout, const std::string& name) {
  const auto found = std::ranges::find(layout.buffers, name, &ImageBuffer::name);
  return found == layout.buffers.end() ? nullptr : &*found;
}

HARNESS_JSON(Relocation, at, target)
HARNESS_JSON_DEFAULTS(ImageBuffer, name, offset, bytes, restored, unit_bytes, row_bytes, rows)
HARNESS_JSON(ImageLayout, bytes, buffers, relocations)

}  // namespace harness
