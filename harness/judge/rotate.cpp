#include "harness/judge/rotate.h"

#include <algorithm>
#include <cassert>

#include "harness/judge/bytes.h"
#include "harness/judge/indexing.h"

namespace harness::judge {
namespace {

void rotate_rows(const ImageBuffer& buffer, std::span<std::byte> payload, std::int64_t by) {
  const Bytes drawn = copy_of(payload);
  if (buffer.unit_bytes == buffer.row_bytes) {
    const auto before = static_cast<std::size_t>(by * buffer.unit_bytes), after = drawn.size() - before;
    copy_bytes(std::span(drawn).subspan(before), payload.first(after));
    copy_bytes(std::span(drawn).first(before), payload.subspan(after));
    return;
  }
  parallel_ranges(buffer.rows, threads_for(buffer.bytes), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t from = (row + by) % buffer.rows * buffer.unit_bytes;
      std::copy_n(drawn.begin() + from, buffer.row_bytes, payload.begin() + row * buffer.unit_bytes);
    }
  });
}

}  // namespace

void rotate(const ImageLayout& layout, std::span<std::byte> image, std::uint64_t r) {
  for (const ImageBuffer& buffer : layout.buffers) {
    if (buffer.rows == 0 || r % static_cast<std::uint64_t>(buffer.rows) == 0) continue;
    assert(buffer.bytes == (buffer.rows - 1) * buffer.unit_bytes + buffer.row_bytes);
    const auto payload = image.subspan(static_cast<std::size_t>(buffer.offset), static_cast<std::size_t>(buffer.bytes));
    rotate_rows(buffer, payload, static_cast<std::int64_t>(r % static_cast<std::uint64_t>(buffer.rows)));
  }
}

}  // namespace harness::judge
