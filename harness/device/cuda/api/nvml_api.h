#pragma once
#include <string>
#include <type_traits>

// The part of NVML (libnvidia-ml.so.1) that this room uses; declarations_test.cpp compares it with nvml.h.
namespace harness::cuda {

using NvmlStatus = int;  // nvmlReturn_t
using NvmlDevice = struct NvmlDeviceObject*;

/// nvmlProcessInfo_v2_t.
struct NvmlProcess {
  unsigned int pid = 0;
  unsigned long long used_bytes = 0;
  unsigned int gpu_instance = 0, compute_instance = 0;
};

using NvmlEventSet = struct NvmlEventSetObject*;
/// nvmlEventData_t.
struct NvmlEvent {
  NvmlDevice device = nullptr;
  unsigned long long type = 0, data = 0;  // of a critical error its number, the XID
  unsigned int gpu_instance = 0, compute_instance = 0;
};

// X(our name, the toolkit's name, value)
#define HARNESS_NVML_CONSTANTS(X)                                  \
  X(kNvmlSuccess, NVML_SUCCESS, 0)                                 \
  X(kNvmlGpuIsLost, NVML_ERROR_GPU_IS_LOST, 15)                    \
  X(kNvmlClockSm, NVML_CLOCK_SM, 1)                                \
  X(kNvmlClockMemory, NVML_CLOCK_MEM, 2)                           \
  X(kNvmlErrorsCorrected, NVML_MEMORY_ERROR_TYPE_CORRECTED, 0)     \
  X(kNvmlErrorsUncorrected, NVML_MEMORY_ERROR_TYPE_UNCORRECTED, 1) \
  X(kNvmlEccSinceLoaded, NVML_VOLATILE_ECC, 0)                     \
  X(kNvmlEventXid, nvmlEventTypeXidCriticalError, 8)               \
  X(kNvmlTemperatureGpu, NVML_TEMPERATURE_GPU, 0)

#define X(ours, theirs, value) inline constexpr int ours = value;
HARNESS_NVML_CONSTANTS(X)
#undef X

// X(symbol, signature)
#define HARNESS_NVML_CALLS(X)                                               \
  X(nvmlInit_v2, NvmlStatus())                                              \
  X(nvmlDeviceGetHandleByPciBusId_v2, NvmlStatus(const char*, NvmlDevice*)) \
  X(nvmlDeviceGetClockInfo, NvmlStatus(NvmlDevice, int, unsigned int*))

// Absent from some versions: a null pointer there, and the value is unknown.
#define HARNESS_OPTIONAL_NVML_CALLS(X)                                                      \
  X(nvmlDeviceGetPowerUsage, NvmlStatus(NvmlDevice, unsigned int*))                         \
  X(nvmlDeviceGetTemperature, NvmlStatus(NvmlDevice, int, unsigned int*))                   \
  X(nvmlDeviceGetCurrentClocksThrottleReasons, NvmlStatus(NvmlDevice, unsigned long long*)) \
  X(nvmlDeviceGetEnforcedPowerLimit, NvmlStatus(NvmlDevice, unsigned int*))                 \
  X(nvmlDeviceGetTotalEccErrors, NvmlStatus(NvmlDevice, int, int, unsigned long long*))     \
  X(nvmlEventSetCreate, NvmlStatus(NvmlEventSet*))                                          \
  X(nvmlDeviceRegisterEvents, NvmlStatus(NvmlDevice, unsigned long long, NvmlEventSet))     \
  X(nvmlEventSetWait_v2, NvmlStatus(NvmlEventSet, NvmlEvent*, unsigned int))                \
  X(nvmlDeviceGetComputeRunningProcesses_v3, NvmlStatus(NvmlDevice, unsigned int*, NvmlProcess*))

struct NvmlApi {
#define X(symbol, ...) std::add_pointer_t<__VA_ARGS__> symbol = nullptr;
  HARNESS_NVML_CALLS(X)
  HARNESS_OPTIONAL_NVML_CALLS(X)
#undef X
};

/// NVML, initialized; null where it is absent or refuses. Everything that uses it goes without.
const NvmlApi* nvml();

}  // namespace harness::cuda
