#include "harness/core/tensor_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/core/json_fields.h"

namespace harness {
namespace {

constexpr std::size_t kMostDimensions = 5;
constexpr std::int64_t kLargestBox = 256;
constexpr std::int64_t kGranularity = 16;  // bytes: of strides and of the box's rows

bool is_one_of(const std::string& text, const std::array<const char*, 4>& names) {
  return std::ranges::any_of(names, [&](const char* name) { return text == name; });
}

std::string extents_problem(const TensorMap& map) {
  const std::size_t rank = map.shape.size();
  if (rank < 1 || rank > kMostDimensions)
    return fmt::format("has {} dimensions; 1 to {} are possible", rank, kMostDimensions);
  if (map.strides.size() != rank || map.box.size() != rank)
    return fmt::format("has {} extents, {} strides and a box of {}; they must be as many", rank, map.strides.size(),
                       map.box.size());
  for (const std::int64_t extent : map.shape)
    if (extent < 1 || extent > std::int64_t{0xffffffff}) return fmt::format("has an extent of {}", extent);
  for (const std::int64_t extent : map.box)
    if (extent < 1 || extent > kLargestBox)
      return fmt::format("has a box of {} elements in one dimension; 1 to {} are possible", extent, kLargestBox);
  return "";
}

}  // namespace

int swizzle_span(const std::string& swizzle) {
  return swizzle == "128b" ? 128 : swizzle == "64b" ? 64 : swizzle == "32b" ? 32 : 0;
}

std::string tensor_map_problem(const TensorMap& map) {
  if (std::string problem = extents_problem(map); !problem.empty()) return problem;
  if (!is_one_of(map.swizzle, kSwizzles))
    return fmt::format("has the swizzle '{}'; there are {}", map.swizzle, fmt::join(kSwizzles, ", "));
  if (!is_one_of(map.promotion, kPromotions))
    return fmt::format("has the promotion '{}'; there are {}", map.promotion, fmt::join(kPromotions, ", "));
  const std::int64_t element = storage_bytes(map.dtype);
  if (map.strides.back() != 1) return fmt::format("has an innermost stride of {}; it must be 1", map.strides.back());
  for (std::size_t i = 0; i + 1 < map.strides.size(); ++i)
    if (map.strides[i] < 1 || map.strides[i] * element % kGranularity != 0)
      return fmt::format("has a stride of {} bytes; strides must be multiples of {}", map.strides[i] * element,
                         kGranularity);
  const std::int64_t row = map.box.back() * element;
  if (row % kGranularity != 0)
    return fmt::format("has a box whose rows are {} bytes; they must be multiples of {}", row, kGranularity);
  if (const int span = swizzle_span(map.swizzle); span != 0 && row > span)
    return fmt::format("has a box whose rows of {} bytes exceed the swizzle's span of {}", row, span);
  return "";
}

TensorMap tensor_map_of(const Argument& argument) {
  return {argument.of,
          argument.dtype,
          argument.shape,
          argument.strides,
          argument.map.value("box", std::vector<std::int64_t>{}),
          argument.map.value("swizzle", std::string("none")),
          argument.map.value("promotion", std::string("none"))};
}

HARNESS_JSON(TensorMap, of, dtype, shape, strides, box, swizzle, promotion)

}  // namespace harness
