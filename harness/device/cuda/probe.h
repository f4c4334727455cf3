#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/core/device.h"
#include "harness/device/cuda/api/driver_api.h"
#include "harness/device/cuda/api/toolkit.h"
#include "harness/device/cuda/run/gpu_state.h"

namespace harness::cuda {

/// Every GPU that the driver sees. With none, one entry "cuda:0" that is not available and says what was not found and
/// what works all the same. Makes no context; never throws.
std::vector<DeviceInfo> probe_cuda();

/// Whether kernels can be compiled here, GPU or not.
bool nvrtc_available();

/// One GPU after cuInit, as the driver tells; nothing about compiling. Throws Error if the driver refuses.
DeviceInfo describe_device(const DriverApi& api, int ordinal);

/// Adds the version of NVRTC and what is missing for compiling. Opens libnvrtc, which takes some 5 ms.
void describe_compiler(DeviceInfo& info);

/// "sm_90a" for 9.0: the architecture with all instructions of that GPU.
std::string architecture_of(int compute_capability);

/// Fills the theoretical peaks for a compute capability (90) at an SM clock; leaves them 0 where not known for sure.
void set_compute_peaks(DeviceInfo& info, double clock_hz);

}  // namespace harness::cuda
