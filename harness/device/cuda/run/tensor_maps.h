#pragma once
#include <cstddef>
#include <vector>

#include "harness/core/tensor_map.h"
#include "harness/device/cuda/api/driver_api.h"

namespace harness::cuda {

/// The descriptor of a tensor that begins at `address`. Throws LaunchRefused where the driver will not encode it,
/// NotSupported where it is too old to know how.
std::vector<std::byte> encode_tensor_map(const DriverApi& api, const TensorMap& map, DevicePointer address);

}  // namespace harness::cuda
