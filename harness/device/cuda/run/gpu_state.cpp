#include "harness/device/cuda/run/gpu_state.h"

#include <unistd.h>

#include "harness/device/cuda/api/driver_api.h"

namespace harness::cuda {
namespace {

NvmlDevice find_device(const std::string& pci_bus_id) {
  NvmlDevice device = nullptr;
  if (!nvml() || pci_bus_id.empty()) return nullptr;
  return nvml()->nvmlDeviceGetHandleByPciBusId_v2(pci_bus_id.c_str(), &device) == kNvmlSuccess ? device : nullptr;
}

/// The value that an NVML call fills in, or nothing.
template <typename Value, typename Call, typename... Arguments>
std::optional<Value> ask(Call call, Arguments... arguments) {
  Value value = 0;
  if (!call || call(arguments..., &value) != kNvmlSuccess) return {};
  return value;
}

std::optional<std::vector<unsigned int>> processes_on(NvmlDevice device) {
  if (!device || !nvml()->nvmlDeviceGetComputeRunningProcesses_v3) return {};
  std::vector<NvmlProcess> processes(256);
  unsigned int count = static_cast<unsigned int>(processes.size());
  if (nvml()->nvmlDeviceGetComputeRunningProcesses_v3(device, &count, processes.data()) != kNvmlSuccess) return {};
  std::vector<unsigned int> ids;
  for (unsigned int i = 0; i < count && i < processes.size(); ++i) ids.push_back(processes[i].pid);
  return ids;
}

std::string pci_bus_id_of(int ordinal) {
  const DriverApi* api = driver_library().api;
  Device device = 0;
  char text[32] = {};
  if (!api || api->cuInit(0) != kSuccess || api->cuDeviceGet(&device, ordinal) != kSuccess) return "";
  return api->cuDeviceGetPCIBusId(text, sizeof text, device) == kSuccess ? text : "";
}

}  // namespace

std::optional<GpuState> gpu_state(int ordinal) {
  NvmlDevice device = find_device(pci_bus_id_of(ordinal));
  if (!device) return {};
  const NvmlApi& api = *nvml();
  GpuState state;
  if (const auto mhz = ask<unsigned int>(api.nvmlDeviceGetClockInfo, device, kNvmlClockSm)) state.sm_clock_mhz = *mhz;
  if (const auto milliwatts = ask<unsigned int>(api.nvmlDeviceGetPowerUsage, device)) {
    state.power_watts = *milliwatts / 1000.0;
  }
  if (const auto celsius = ask<unsigned int>(api.nvmlDeviceGetTemperature, device, kNvmlTemperatureGpu)) {
    state.temperature_celsius = *celsius;
  }
  state.throttle_reasons = ask<unsigned long long>(api.nvmlDeviceGetCurrentClocksThrottleReasons, device);
  state.other_processes = processes_on(device);
  if (state.other_processes) std::erase(*state.other_processes, static_cast<unsigned int>(getpid()));
  return state;
}

CardState card_state(const std::string& pci_bus_id) {
  CardState state;
  NvmlDevice device = find_device(pci_bus_id);
  if (!device) return state;
  const NvmlApi& api = *nvml();
  state.sm_clock_mhz = ask<unsigned int>(api.nvmlDeviceGetClockInfo, device, kNvmlClockSm);
  state.memory_clock_mhz = ask<unsigned int>(api.nvmlDeviceGetClockInfo, device, kNvmlClockMemory);
  state.temperature_celsius = ask<unsigned int>(api.nvmlDeviceGetTemperature, device, kNvmlTemperatureGpu);
  if (const auto milliwatts = ask<unsigned int>(api.nvmlDeviceGetPowerUsage, device))
    state.power_watts = *milliwatts / 1000.0;
  if (const auto milliwatts = ask<unsigned int>(api.nvmlDeviceGetEnforcedPowerLimit, device))
    state.power_limit_watts = *milliwatts / 1000.0;
  const auto count = [](const auto& value) {
    return value ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt;
  };
  state.throttle_reasons = count(ask<unsigned long long>(api.nvmlDeviceGetCurrentClocksThrottleReasons, device));
  const auto errors = [&](int type) {
    return count(ask<unsigned long long>(api.nvmlDeviceGetTotalEccErrors, device, type, kNvmlEccSinceLoaded));
  };
  state.ecc_corrected = errors(kNvmlErrorsCorrected);
  state.ecc_uncorrected = errors(kNvmlErrorsUncorrected);
  return state;
}

ErrorWatch::ErrorWatch(const std::string& pci_bus_id) {
  NvmlDevice device = find_device(pci_bus_id);
  if (!device) return;
  const NvmlApi& api = *nvml();
  if (!api.nvmlEventSetCreate || !api.nvmlDeviceRegisterEvents || !api.nvmlEventSetWait_v2) return;
  if (api.nvmlEventSetCreate(&events_) != kNvmlSuccess) events_ = nullptr;
  else if (api.nvmlDeviceRegisterEvents(device, kNvmlEventXid, events_) != kNvmlSuccess) events_ = nullptr;
}

std::vector<std::int64_t> ErrorWatch::take() {
  std::vector<std::int64_t> xids;
  constexpr std::size_t kMost = 16;
  NvmlEvent event;
  while (events_ && xids.size() < kMost && nvml()->nvmlEventSetWait_v2(events_, &event, 0) == kNvmlSuccess)
    if (event.type == kNvmlEventXid) xids.push_back(static_cast<std::int64_t>(event.data));
  return xids;
}

std::optional<std::vector<unsigned int>> compute_processes(const std::string& pci_bus_id) {
  return processes_on(find_device(pci_bus_id));
}

NvmlDevice ClockReader::device() const {
  if (!device_) device_ = find_device(pci_bus_id_);
  return *device_;
}

std::optional<double> ClockReader::sm_clock_mhz() const {
  unsigned int mhz = 0;
  if (!device() || nvml()->nvmlDeviceGetClockInfo(device(), kNvmlClockSm, &mhz) != kNvmlSuccess) return {};
  return mhz;
}

bool ClockReader::device_lost() const {
  unsigned int mhz = 0;
  return device() && nvml()->nvmlDeviceGetClockInfo(device(), kNvmlClockSm, &mhz) == kNvmlGpuIsLost;
}

}  // namespace harness::cuda
