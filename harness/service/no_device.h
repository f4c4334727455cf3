#pragma once
#include <string>
#include <vector>

#include "harness/core/device.h"

namespace harness {

/// Why none of `devices` can be used, and what brings the one that needs no GPU: a sentence.
std::string no_device(const std::vector<DeviceInfo>& devices);

}  // namespace harness
