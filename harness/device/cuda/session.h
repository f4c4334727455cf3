#pragma once
#include <memory>
#include <string>

#include "harness/core/device.h"
#include "harness/device/cuda/library/libraries.h"
#include "harness/device/cuda/run/device_arena.h"
#include "harness/device/cuda/run/graphs.h"
#include "harness/device/cuda/run/module_cache.h"
#include "harness/device/cuda/run/single_call.h"
#include "harness/device/cuda/run/timed_plan.h"
#include "harness/device/port/run_clock.h"
#include "harness/device/port/torch_calls.h"

namespace harness::cuda {

/// Runs and times plans on one GPU, in the primary context of the constructing thread. After a DeviceFault the process
/// is of no further use: every call fails with the same code.
class CudaSession : public Session, public RunClock, public TorchUser {
 public:
  /// `cache_folder`: where the kernels of measurements are compiled into; "" for beside the artifacts that are timed.
  /// Throws Error with a sentence when there is no driver or no such GPU.
  /// `trusted`: what PyTorch calls may run outside of the walls (TorchCalls).
  explicit CudaSession(int ordinal, const std::string& cache_folder = "", bool trusted = false);
  /// With a driver of the caller's, which must outlive the session.
  CudaSession(const DriverApi& api, int ordinal, const std::string& cache_folder = "", bool trusted = false);

  const DeviceInfo& info() const { return info_; }  // as the driver tells
  void run(const Executable& executable, std::span<std::byte> image) override;
  void run_behind_walls(const Executable& executable, std::span<std::byte> image) override;
  double last_run_ns() const override { return last_run_ns_; }
  void use_torch(const TorchOffer& offer) override { torch_.use(offer); }
  std::vector<Samples> time(std::span<const Executable> contenders, std::span<const ImageList> images,
                            std::span<const ImageList> places, const TimingPolicy& policy) override;

  MeasuredPeaks measure_peaks() override;
  CardCalibration calibrate() override;
  std::shared_ptr<void> hold(std::span<std::byte> memory) override { return hold_pages(api_, memory); }

  /// Registers, memory and parameters of every entry as the driver sees them after loading; spills from the compiler.
  std::vector<EntryResources> resources(const Executable& executable);

 private:
  struct Measuring {
    std::unique_ptr<MeasuringKernels> kernels;
    std::unique_ptr<SingleCallTimer> timer;
  };
  void run_walled(const Executable& executable, std::span<std::byte> image);
  void run_once(const Executable& executable, std::span<std::byte> image);
  void launch_and_wait(LoadedPlan& plan, DevicePointer base);
  std::vector<Samples> time_all(std::span<const Executable> contenders, std::span<const ImageList> images,
                                std::span<const ImageList> places, const TimingPolicy& policy);
  std::vector<std::unique_ptr<TimedContender>> prepare(std::span<const Executable> contenders,
                                                       std::span<const ImageList> images,
                                                       std::span<const ImageList> places,
                                                       const MeasuringKernels& kernels);
  const Measuring& measuring(const std::string& cache_folder);
  template <typename Work>
  auto with_fault_named(Work work);

  const DriverApi& api_;
  PrimaryContext context_;
  std::string cache_folder_, pci_bus_id_;
  DeviceInfo info_;
  ClockReader clock_;
  OwnedStream stream_;
  ModuleCache modules_;
  Libraries libraries_;
  DeviceArena image_memory_, set_memory_;
  EventPair around_run_;
  double last_run_ns_ = 0;
  TorchCalls torch_;
  std::unique_ptr<Measuring> measuring_;
  std::optional<ErrorWatch> errors_;  // from the first calibration on
};

}  // namespace harness::cuda
