#include "harness/device/cuda/run/tensor_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "harness/core/device.h"

namespace harness::cuda {
namespace {

int element_type(const TensorMap& map) {
  switch (map.dtype) {
    case Dtype::u8:
    case Dtype::s8:
    case Dtype::b8:
    case Dtype::e4m3:
    case Dtype::e5m2:
      return kTensorMapU8;
    case Dtype::u16:
    case Dtype::s16:
      return kTensorMapU16;
    case Dtype::u32:
      return kTensorMapU32;
    case Dtype::s32:
      return kTensorMapS32;
    case Dtype::u64:
      return kTensorMapU64;
    case Dtype::s64:
      return kTensorMapS64;
    case Dtype::f16:
      return kTensorMapF16;
    case Dtype::bf16:
      return kTensorMapBf16;
    case Dtype::f32:
      return kTensorMapF32;
    case Dtype::f64:
      return kTensorMapF64;
    default:
      throw LaunchRefused(fmt::format("there is no tensor map of type {} ('{}').", name(map.dtype), map.of));
  }
}

int position(const std::string& text, const std::array<const char*, 4>& names) {
  return static_cast<int>(std::find(names.begin(), names.end(), text) - names.begin());
}

}  // namespace

std::vector<std::byte> encode_tensor_map(const DriverApi& api, const TensorMap& map, DevicePointer address) {
  if (!api.cuTensorMapEncodeTiled)
    throw NotSupported(fmt::format("the driver encodes no tensor maps (of '{}'); it is older than CUDA 12.", map.of));
  if (const std::string problem = tensor_map_problem(map); !problem.empty())
    throw LaunchRefused(fmt::format("the tensor map of '{}' {}.", map.of, problem));
  const std::size_t rank = map.shape.size();
  std::vector<unsigned long long> extents(rank), strides(rank);  // the driver takes the innermost dimension first
  std::vector<unsigned int> box(rank), steps(rank, 1);
  for (std::size_t i = 0; i < rank; ++i) {
    extents[i] = static_cast<unsigned long long>(map.shape[rank - 1 - i]);
    box[i] = static_cast<unsigned int>(map.box[rank - 1 - i]);
    if (i > 0) strides[i - 1] = static_cast<unsigned long long>(map.strides[rank - 1 - i] * storage_bytes(map.dtype));
  }
  alignas(64) TensorMapBits bits{};
  const Status status = api.cuTensorMapEncodeTiled(
      &bits, element_type(map), static_cast<unsigned int>(rank), reinterpret_cast<void*>(address), extents.data(),
      strides.data(), box.data(), steps.data(), kTensorMapInterleaveNone, position(map.swizzle, kSwizzles),
      position(map.promotion, kPromotions), kTensorMapFillZero);
  if (status != kSuccess)
    throw LaunchRefused(fmt::format("cuTensorMapEncodeTiled of '{}' failed with {}.", map.of, status));
  std::vector<std::byte> bytes(sizeof bits);
  std::memcpy(bytes.data(), &bits, sizeof bits);
  return bytes;
}

}  // namespace harness::cuda
