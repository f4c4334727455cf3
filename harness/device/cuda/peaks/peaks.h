#pragma once
#include <functional>
#include <string>

#include "harness/core/device.h"
#include "harness/device/cuda/run/own_kernels.h"

namespace harness::cuda {

/// Runs kernels that do nothing but one thing, in bursts of a few milliseconds (the power cap starts after 50), and
/// takes the best of several: everything of MeasuredPeaks but launch_ns. Needs up to 1 GB of free device memory.
MeasuredPeaks measure_peaks(const DriverApi& api, ModuleCache& modules, Stream stream, const std::string& cache_folder,
                            const DeviceInfo& device);

/// A copy and the loop of one kind of tensor core, or of multiply-adds where there are none: each the median of several
/// bursts. `at_work` is called while the device computes, for what is read of its state then.
CardCalibration calibrate(const DriverApi& api, ModuleCache& modules, Stream stream, const std::string& cache_folder,
                          const DeviceInfo& device, const std::function<void()>& at_work);

/// Their sources for a compute capability (90) and architecture ("sm_90a"), with wgmma on sm_90a and mma.sync
/// elsewhere, which reaches less than the newest tensor cores can.
struct PeakSource {
  struct TensorKernel {
    std::string dtype, entry;
    double flops = 0;  // of one iteration of one block
    BuildSpec build;   // one each: a wgmma with 128 registers takes a second to compile
  };
  BuildSpec memory_and_arithmetic;
  std::vector<TensorKernel> tensor;
};
PeakSource peak_source(int compute_capability, const std::string& architecture);

}  // namespace harness::cuda
