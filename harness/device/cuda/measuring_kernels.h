#pragma once
#include <string>

#include "harness/core/device.h"
#include "harness/device/cuda/device_arena.h"
#include "harness/device/cuda/loaded_plan.h"

namespace harness::cuda {

/// Kernels of our own that a measurement needs: one that reads more than the L2 holds, and an empty one.
class MeasuringKernels {
 public:
  /// Compiles them for `architecture` into the cache at `cache_folder` or finds them there. Throws Error without NVRTC.
  MeasuringKernels(const DriverApi& api, ModuleCache& modules, Stream stream, const std::string& cache_folder,
                   const DeviceInfo& device);

  MeasuringKernels(const MeasuringKernels&) = delete;
  MeasuringKernels& operator=(const MeasuringKernels&) = delete;

  /// Enqueues the eviction of everything from the L2 by plain reads (writes would leave dirty lines, streaming reads
  /// would leave most of it in place). Lines that asked to persist are released first.
  void enqueue_flush(Stream stream) const;
  void enqueue_empty(Stream stream) const;

 private:
  static Executable executable(const Artifact& artifact, const Launch& launch, std::int64_t flush_bytes);

  const DriverApi& api_;
  DeviceArena memory_;
  DevicePointer base_ = 0;
  Executable flush_, empty_;
  LoadedPlan flush_plan_, empty_plan_;
};

}  // namespace harness::cuda
