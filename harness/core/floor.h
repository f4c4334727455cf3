#pragma once
#include <optional>
#include <string>

#include "harness/core/contract.h"
#include "harness/core/device.h"

namespace harness {

/// Speed of light: no implementation of this work can be faster on this device.
struct FloorSum {
  double ns = 0;
  std::string binds;  // what makes it: "bytes", "flops" or "exps"
  std::string terms;  // "bytes 65.5 KB / 4.8 TB/s = 0.014 us; bf16 8.39 MFLOP / 1.07 PFLOP/s = 0.008 us"
};

/// The larger of bytes / peak and the sum over unit dtypes of flops / peak, and exponentials / peak. nullopt where
/// times are emulated, where a peak that the work needs is unknown, and for no work at all.
std::optional<FloorSum> floor_ns(const Work& work, const DeviceInfo& device);

}  // namespace harness
