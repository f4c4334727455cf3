#include "harness/device/cpu/execute/tensor_copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "harness/core/device.h"

namespace harness::cpu {
namespace {

constexpr std::size_t kChunk = 16;  // what a swizzle moves as one

/// Calls `body(shared address, begin, end)` for the parts of a row's bytes [begin, end) that stay together.
template <typename Body>
void for_each_chunk(const BoxRow& row, std::size_t begin, std::size_t end, std::uint32_t address, int span, Body body) {
  for (std::size_t at = begin; at < end; at = std::min(end, (at / kChunk + 1) * kChunk))
    body(swizzled(address + static_cast<std::uint32_t>(row.shared + at), span), at,
         std::min(end, (at / kChunk + 1) * kChunk));
}

}  // namespace

std::vector<std::byte> encode_tensor_map(const TensorMap& map, char* base) {
  static_assert(sizeof(HarnessCpuTensorMap) <= kTensorMapBytes);
  if (const std::string problem = tensor_map_problem(map); !problem.empty())
    throw LaunchRefused(fmt::format("the tensor map of '{}' {}", map.of, problem));
  HarnessCpuTensorMap encoded{};
  encoded.base = base;
  const std::size_t rank = map.shape.size();
  encoded.rank = static_cast<unsigned char>(rank);
  encoded.element_bytes = static_cast<unsigned char>(storage_bytes(map.dtype));
  encoded.swizzle_bytes = static_cast<unsigned char>(swizzle_span(map.swizzle));
  for (std::size_t i = 0; i < rank; ++i) {
    encoded.extent[i] = static_cast<unsigned>(map.shape[rank - 1 - i]);
    encoded.box[i] = static_cast<unsigned short>(map.box[rank - 1 - i]);
    encoded.stride_bytes[i] = static_cast<unsigned long long>(map.strides[rank - 1 - i] * storage_bytes(map.dtype));
  }
  std::vector<std::byte> bytes(kTensorMapBytes);
  std::memcpy(bytes.data(), &encoded, sizeof encoded);
  return bytes;
}

std::size_t box_bytes(const HarnessCpuTensorMap& map) {
  std::size_t bytes = map.element_bytes;
  for (int i = 0; i < map.rank; ++i) bytes *= map.box[i];
  return bytes;
}

std::vector<BoxRow> rows_of_box(const HarnessCpuTensorMap& map, const int* coordinates) {
  const auto within = [&](int d, std::int64_t at) { return at >= 0 && at < std::int64_t{map.extent[d]}; };
  const std::int64_t first = coordinates[0], element = map.element_bytes;
  const std::int64_t begin = std::clamp<std::int64_t>(-first, 0, map.box[0]);
  const std::int64_t end = std::clamp<std::int64_t>(std::int64_t{map.extent[0]} - first, begin, map.box[0]);
  const std::size_t row_bytes = static_cast<std::size_t>(map.box[0] * element);
  std::vector<BoxRow> rows(box_bytes(map) / row_bytes);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::int64_t offset = first * element;
    bool inside = true;
    std::size_t rest = i;
    for (int d = 1; d < map.rank; ++d) {
      const std::int64_t at = coordinates[d] + static_cast<std::int64_t>(rest % map.box[d]);
      rest /= map.box[d];
      inside = inside && within(d, at);
      offset += at * static_cast<std::int64_t>(map.stride_bytes[d]);
    }
    rows[i].global = map.base + offset;
    rows[i].shared = i * row_bytes;
    rows[i].bytes = row_bytes;
    if (!inside) continue;
    rows[i].begin = static_cast<std::size_t>(begin * element);
    rows[i].end = static_cast<std::size_t>(end * element);
  }
  return rows;
}

void load_box(const HarnessCpuTensorMap& map, const std::vector<BoxRow>& rows, char* window, std::uint32_t address) {
  for (const BoxRow& row : rows) {
    for_each_chunk(
        row, 0, row.bytes, address, map.swizzle_bytes,
        [&](std::uint32_t to, std::size_t begin, std::size_t end) { std::memset(window + to, 0, end - begin); });
    for_each_chunk(row, row.begin, row.end, address, map.swizzle_bytes,
                   [&](std::uint32_t to, std::size_t begin, std::size_t end) {
                     std::memcpy(window + to, row.global + begin, end - begin);
                   });
  }
}

void store_box(const HarnessCpuTensorMap& map, const std::vector<BoxRow>& rows, const char* window,
               std::uint32_t address) {
  for (const BoxRow& row : rows)
    for_each_chunk(row, row.begin, row.end, address, map.swizzle_bytes,
                   [&](std::uint32_t from, std::size_t begin, std::size_t end) {
                     std::memcpy(row.global + begin, window + from, end - begin);
                   });
}

}  // namespace harness::cpu
