#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/card.h"
#include "harness/device/cuda/api/nvml_api.h"

namespace harness::cuda {

/// What surrounds a measurement, recorded with it. A value that NVML does not tell is empty.
struct GpuState {
  std::optional<double> sm_clock_mhz, power_watts, temperature_celsius;
  std::optional<std::uint64_t> throttle_reasons;             // NVML's bits: 0x4 is the power cap
  std::optional<std::vector<unsigned int>> other_processes;  // ids of other processes computing on the GPU
};

/// The state of the GPU with this driver ordinal; nullopt without a driver or NVML. Takes about 0.5 ms.
std::optional<GpuState> gpu_state(int ordinal);

/// The same for a calibration, with memory errors; empty without NVML.
CardState card_state(const std::string& pci_bus_id);

/// Critical errors (XID) of a GPU that the driver tells of in this object's life: NVML keeps none for those who come
/// later.
class ErrorWatch {
 public:
  explicit ErrorWatch(const std::string& pci_bus_id);
  /// All since the last call.
  std::vector<std::int64_t> take();

 private:
  NvmlEventSet events_ = nullptr;  // of the process; null: NVML does not say
};

/// Ids of all processes that compute on the GPU, this one too; nullopt where NVML does not say.
std::optional<std::vector<unsigned int>> compute_processes(const std::string& pci_bus_id);

/// Reads the SM clock of one GPU again and again (0.1 ms each).
class ClockReader {
 public:
  /// `pci_bus_id` as cuDeviceGetPCIBusId prints it: ordinals of the driver and of NVML need not agree.
  explicit ClockReader(std::string pci_bus_id) : pci_bus_id_(std::move(pci_bus_id)) {}
  /// MHz; nullopt where unknown.
  std::optional<double> sm_clock_mhz() const;
  /// Whether the GPU fell off the bus or needs a reset.
  bool device_lost() const;

 private:
  NvmlDevice device() const;  // opens NVML on the first use

  std::string pci_bus_id_;
  mutable std::optional<NvmlDevice> device_;
};

}  // namespace harness::cuda
