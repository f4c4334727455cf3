#pragma once
#include <memory>
#include <span>
#include <vector>

#include "harness/core/profile.h"
#include "harness/device/cuda/library/libraries.h"
#include "harness/device/cuda/profile/launch_facts.h"
#include "harness/device/cuda/profile/range_profiler.h"
#include "harness/device/cuda/run/device_arena.h"
#include "harness/device/cuda/run/graphs.h"
#include "harness/device/cuda/run/measuring_kernels.h"
#include "harness/device/port/device_profiler.h"

namespace harness::cuda {

/// A GPU whose plans are profiled, in the primary context of the constructing thread.
class ProfiledDevice {
 public:
  /// Loads all plans: CUPTI counts only what was there before it. Throws as CudaSession's constructor and run() do.
  ProfiledDevice(const DriverApi& api, int ordinal, std::span<const ProfiledPlan> plans);

  /// What needs no counters. `timed`: also the time of one run, by two events; without it each plan runs exactly once,
  /// for somebody who watches.
  std::vector<Profile> without_counters(bool timed);
  /// The same with CUPTI's counters, from an L2 that holds nothing of the plan: kernels of our own empty it, which are
  /// found in the cache at `cache_folder` ("": it is left as it is). Profile::wall_s is without what setting up the
  /// profiler takes once, and without the copy of the image. Throws Error: not permitted, or the GPU is being profiled.
  std::vector<Profile> with_counters(const CuptiApi& cupti, const std::string& cache_folder);

 private:
  struct Loaded {
    ProfiledPlan given;
    std::unique_ptr<LoadedPlan> plan;
  };
  Profile facts(const Loaded& loaded) const;
  void upload(const Loaded& loaded);
  void restore(const Loaded& loaded);
  double run(const Loaded& loaded);
  void count(const Loaded& loaded, RangeProfiler& ranges, const CounterConfig& config, Profile& profile);
  std::vector<std::vector<double>> count_kernels(const Loaded& loaded, RangeProfiler& ranges);
  std::vector<std::vector<double>> count_steps(const Loaded& loaded, RangeProfiler& ranges, std::size_t steps);

  const DriverApi& api_;
  int ordinal_;
  PrimaryContext context_;
  std::string name_;
  HeldAtOnce held_;
  OwnedStream stream_;
  ModuleCache modules_;
  Libraries libraries_;
  DeviceArena memory_, pristine_memory_;
  EventPair events_;
  DevicePointer base_ = 0;      // where plans run
  DevicePointer pristine_ = 0;  // the image of the plan that was uploaded last, as it was
  std::vector<Loaded> plans_;
  std::unique_ptr<MeasuringKernels> emptying_;  // of the L2; none: nobody asked for it
};

}  // namespace harness::cuda
