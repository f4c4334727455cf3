#pragma once
#include <string>
#include <string_view>

#include "harness/device/cuda/api/driver_api.h"
#include "harness/device/cuda/api/nvrtc_api.h"

namespace harness::cuda {

/// "cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (700), an illegal memory access was encountered"
std::string describe(const DriverApi& api, Status status, std::string_view call);

/// Throws unless `status` is success. Codes that poison the context: DeviceFault, its text starting with the CrashKind
/// ("illegal_access: ", "trap: ", "assertion: ", "device_lost: ", "unknown: "); no memory: DeviceMemoryExhausted; a
/// module for another GPU: NotSupported; anything else is the environment's: Error.
void check(const DriverApi& api, Status status, std::string_view call);
/// The same for calls whose arguments a candidate decides: what check() blames on the environment is LaunchRefused.
void check_launch(const DriverApi& api, Status status, std::string_view call);
/// For calls that only tune: a fault is thrown, a refusal ignored.
void check_fault(const DriverApi& api, Status status, std::string_view call);
/// For setting up, where every failure is the environment's: Error.
void check_environment(const DriverApi& api, Status status, std::string_view call);
/// NVRTC itself failed (a source that does not compile is no such failure): Error.
void check(const NvrtcApi& api, NvrtcStatus status, std::string_view call);

}  // namespace harness::cuda
