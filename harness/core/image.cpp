#include "harness/core/image.h"

#include <algorithm>

#include "harness/core/json_fields.h"

namespace harness {

const ImageBuffer* find_buffer(const ImageLayout& layout, const std::string& name) {
  const auto found = std::ranges::find(layout.buffers, name, &ImageBuffer::name);
  return found == layout.buffers.end() ? nullptr : &*found;
}

HARNESS_ENUM_TABLE(DrawKind, "kind of draw",
                   {{DrawKind::normal, "normal"},
                    {DrawKind::uniform, "uniform"},
                    {DrawKind::mask, "mask"},
                    {DrawKind::integers, "integers"}})
HARNESS_JSON(Relocation, at, target)
HARNESS_JSON(ElementDraw, kind, dtype, poison, stream, scale, offset, lo, range, extents, strides)
HARNESS_JSON(FreshSeeds, values, poison)
HARNESS_JSON_DEFAULTS(ImageBuffer, name, offset, bytes, restored, constant, draw, agreement)
HARNESS_JSON(ImagePages, offset, bytes)
HARNESS_JSON(ImageLayout, bytes, buffers, relocations, read_only, closed)

}  // namespace harness
