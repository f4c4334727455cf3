#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "harness/core/contract.h"
#include "harness/core/image.h"
#include "harness/core/plan.h"
#include "harness/device/cuda/api/driver_api.h"

namespace harness::cuda {

/// The bytes of each argument of a launch, in order.
using PackedArguments = std::vector<std::vector<std::byte>>;

/// `base` is the device address of the image. Throws LaunchRefused for a name that the problem and the layout lack or a
/// value that its type cannot hold, NotSupported where the driver encodes no tensor maps.
PackedArguments pack_arguments(const DriverApi& api, const Launch& launch, const Problem& problem,
                               const ImageLayout& layout, DevicePointer base);

/// The bytes of a scalar or structure of the problem. Throws as pack_arguments does.
std::vector<std::byte> pack_value(const DriverApi& api, const std::string& name, const Problem& problem,
                                  const ImageLayout& layout);

/// Throws LaunchRefused with both lists unless number and sizes agree: the driver would read past the arguments.
void check_parameters(const std::string& entry, const PackedArguments& arguments,
                      const std::vector<std::int64_t>& parameter_bytes);

}  // namespace harness::cuda
