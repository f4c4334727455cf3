#pragma once
#include <optional>
#include <string>

#include "harness/core/contract.h"
#include "harness/core/device.h"
#include "harness/core/gpu.h"

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

/// What a call costs a device whatever it does, ns. 0: not known.
struct CallCosts {
  double launch_ns = 0;       // an empty launch inside a graph
  double memory_trip_ns = 0;  // one load from device memory that somebody waits for
  double l2_trip_ns = 0;      // one more that needs what the one before brought
};
CallCosts call_costs(const MeasuredPeaks& measured);
CallCosts call_costs(const GpuFacts& gpu);

/// What a call of this work can reach on a device: an empty launch, one trip to memory, one to the L2 for each further
/// dependent step of the contract (Work::dependent), and the floor. A floor of 14 ns says nothing about a call that
/// has to be launched and to wait for its first operand.
struct LimitSum {
  double ns = 0;
  std::string terms;  // "launch 0.56 us + memory 0.62 us + floor 0.014 us"
};

/// nullopt: there is no floor, or launch or trip are not known.
std::optional<LimitSum> limit_ns(const Work& work, const DeviceInfo& device, const CallCosts& costs);
/// The same with the costs that the facts of the GPU of that name have (gpus/), where nothing was measured.
std::optional<LimitSum> known_limit(const Work& work, const DeviceInfo& device);

}  // namespace harness
