#pragma once
#include "harness/device/port/device_profiler.h"

namespace harness::cuda {

/// Counters of NVIDIA's GPUs: through CUPTI's range profiler, else through ncu, else what binary and launch say.
class CudaProfiler : public DeviceProfiler {
 public:
  std::vector<ProfileWay> ways(const std::string& device) const override;
  std::vector<std::string> wrapper(ProfileSource way, const std::string& log) const override;
  std::vector<Profile> run(const Target& target, std::span<const ProfiledPlan> plans, ProfileSource way) const override;
  void read(std::string_view log, ProfileSource way, std::vector<Profile>& profiles) const override;
};

/// Whether the driver's parameters ("RmProfilingAdminOnly: 1") keep counters from this process.
bool counters_forbidden(std::string_view driver_parameters, bool root);

}  // namespace harness::cuda
