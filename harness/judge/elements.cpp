#include "harness/judge/elements.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

namespace harness::judge {

std::int64_t load_integer(Dtype dtype, const std::byte* unit) {
  std::int64_t value = 0;
  const int bytes = storage_bytes(dtype);
  std::memcpy(&value, unit, bytes);  // little endian, as every device here
  const bool is_signed = dtype == Dtype::s8 || dtype == Dtype::s16 || dtype == Dtype::s32;
  const int unused_bits = 64 - 8 * bytes;
  if (!is_signed || unused_bits == 0) return value;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << unused_bits) >> unused_bits;
}

void store_integer(Dtype dtype, std::byte* unit, std::int64_t value) {
  if (is_floating(dtype)) return store_rounded(dtype, unit, static_cast<double>(value));
  std::memcpy(unit, &value, storage_bytes(dtype));
}

std::vector<std::int64_t> load_integers(const Argument& argument, const ImageLayout& layout,
                                        std::span<const std::byte> image) {
  const Indexer indexer(argument);
  const auto bytes = payload(layout, argument.name, image);
  std::vector<std::int64_t> values(indexer.count());
  indexer.for_elements(0, indexer.count(), [&](std::int64_t logical, std::int64_t storage) {
    values[logical] = load_integer(argument.dtype, bytes.data() + storage * storage_bytes(argument.dtype));
  });
  return values;
}

void fill_elements(const Indexer& indexer, Dtype dtype, std::span<std::byte> payload, int threads,
                   const ElementValues& values) {
  const int bytes = storage_bytes(dtype);
  parallel_ranges(indexer.count(), indexer.overlapping() ? 1 : threads, [&](std::int64_t begin, std::int64_t end) {
    std::array<double, 512> chunk;
    while (begin < end) {
      const std::int64_t stop = std::min(end, begin + static_cast<std::int64_t>(chunk.size()));
      const std::span drawn = std::span(chunk).first(stop - begin);
      values(begin, drawn);
      indexer.for_row_parts(begin, stop, [&](std::int64_t logical, std::int64_t storage, std::int64_t count) {
        store_strided(dtype, payload.data() + storage * bytes, indexer.column_stride(),
                      drawn.subspan(logical - begin, count));
      });
      begin = stop;
    }
  });
}

void load_strided(Dtype dtype, const std::byte* units, std::int64_t stride, std::span<double> values) {
  if (stride == 1) return load_as_doubles(dtype, units, values);
  stride *= storage_bytes(dtype);
  for (double& value : values) {
    value = load_as_double(dtype, units);
    units += stride;
  }
}

void store_strided(Dtype dtype, std::byte* units, std::int64_t stride, std::span<const double> values) {
  if (stride == 1) return store_all_rounded(dtype, units, values);
  stride *= storage_bytes(dtype);
  for (const double value : values) {
    store_rounded(dtype, units, value);
    units += stride;
  }
}

std::span<std::byte> payload(const ImageLayout& layout, const std::string& name, std::span<std::byte> image) {
  const ImageBuffer* buffer = find_buffer(layout, name);
  assert(buffer != nullptr);
  return image.subspan(buffer->offset, buffer->bytes);
}

std::span<const std::byte> payload(const ImageLayout& layout, const std::string& name,
                                   std::span<const std::byte> image) {
  const ImageBuffer* buffer = find_buffer(layout, name);
  assert(buffer != nullptr);
  return image.subspan(buffer->offset, buffer->bytes);
}

bool is_drawn(const Argument& a) {
  return !a.absent && (a.kind == ArgumentKind::input || a.kind == ArgumentKind::inout);
}

bool is_judged(const Argument& a) {
  return !a.absent && is_written(a.kind);
}

}  // namespace harness::judge
