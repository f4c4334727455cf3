#pragma once
#include <string>

#include "harness/core/device.h"
#include "harness/device/cuda/run/device_arena.h"
#include "harness/device/cuda/run/own_kernels.h"

namespace harness::cuda {

/// Of the first two of MeasuringKernels.
BuildSpec measuring_build();

/// Kernels of our own that a measurement needs: one that reads more than the L2 holds, an empty one, and those that
/// refresh input sets.
class MeasuringKernels {
 public:
  /// Compiles them for the device into the cache at `cache_folder` or finds them there. Throws Error without NVRTC and
  /// DeviceMemoryExhausted where there is no room to flush with.
  MeasuringKernels(const DriverApi& api, ModuleCache& modules, Stream stream, const std::string& cache_folder,
                   const DeviceInfo& device);

  MeasuringKernels(const MeasuringKernels&) = delete;
  MeasuringKernels& operator=(const MeasuringKernels&) = delete;

  /// Lines that asked to persist in the L2 are as all others when it returns. Not in the order of any stream: wait for
  /// the work that asked for it first.
  void release_persisting() const;
  /// Enqueues the eviction of everything from the L2, dirty lines included, by plain reads (writes would leave dirty
  /// lines, streaming reads would leave most of it in place).
  void enqueue_flush(Stream stream) const;
  void enqueue_empty(Stream stream) const;
  /// Those of refresh_source().
  const OwnKernels& refreshing() const { return refreshing_; }

 private:
  const DriverApi& api_;
  OwnKernels kernels_, refreshing_;
  DeviceArena memory_;
  DevicePointer base_ = 0;
  std::int64_t flush_bytes_;
  std::uint32_t flush_blocks_;
};

}  // namespace harness::cuda
