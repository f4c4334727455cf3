#include "harness/device/cuda/profile/cuda_profiler.h"

#include <fmt/format.h>
#include <unistd.h>

#include <numeric>

#include "harness/core/error.h"
#include "harness/device/cuda/profile/counters.h"
#include "harness/device/cuda/profile/cupti_api.h"
#include "harness/device/cuda/profile/ncu.h"
#include "harness/device/cuda/profile/profiled_device.h"
#include "harness/system/files.h"

namespace harness::cuda {
namespace {

constexpr const char* kDriverParameters = "/proc/driver/nvidia/params";

const DriverApi& profiling_driver() {
  const DriverLibrary& library = driver_library();
  if (!library.api) throw environment_error(library.missing);
  return *library.api;
}

std::size_t launches_of(const std::vector<Profile>& profiles) {
  return std::accumulate(profiles.begin(), profiles.end(), std::size_t{0},
                         [](std::size_t sum, const Profile& profile) { return sum + profile.launches.size(); });
}

/// A kernel of a library, of which nobody else knows the launch.
LaunchProfile launch_of(const NcuKernel& kernel) {
  return {.entry = kernel.name, .numbers = kernel.numbers};
}

}  // namespace

bool counters_forbidden(std::string_view driver_parameters, bool root) {
  return !root && driver_parameters.find("RmProfilingAdminOnly: 1") != std::string_view::npos;
}

std::vector<ProfileWay> CudaProfiler::ways(const std::string&) const {
  ProfileWay cupti{ProfileSource::cupti, cupti_library().missing, "pip install nvidia-cuda-cupti"};
  ProfileWay ncu{ProfileSource::ncu, find_ncu().empty() ? "ncu was not found in PATH or the toolkit's bin folder" : "",
                 "apt-get install cuda-nsight-compute-13-0"};
  const bool forbidden = counters_forbidden(read_file_if_any(kDriverParameters).value_or(""), ::geteuid() == 0);
  for (ProfileWay* way : {&cupti, &ncu}) {
    if (way->missing.empty() && forbidden)
      *way = {way->source, "only an administrator may read this GPU's counters",
              "echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' > /etc/modprobe.d/nvidia-profiling.conf, "
              "then restart"};
    if (way->missing.empty()) way->mend.clear();
  }
  return {cupti, ncu, {ProfileSource::binary, "", ""}};
}

std::vector<std::string> CudaProfiler::wrapper(ProfileSource way, const std::string& log) const {
  return way == ProfileSource::ncu ? ncu_command(find_ncu(), log) : std::vector<std::string>{};
}

std::vector<Profile> CudaProfiler::run(const Target& target, std::span<const ProfiledPlan> plans,
                                       ProfileSource way) const {
  const CuptiLibrary& cupti = cupti_library();
  if (way == ProfileSource::cupti && !cupti.api) throw environment_error(cupti.missing);
  ProfiledDevice device(profiling_driver(), device_number(target.device), plans);
  if (way == ProfileSource::cupti) return device.with_counters(*cupti.api, target.cache_folder);
  return device.without_counters(way == ProfileSource::binary);
}

void CudaProfiler::read(std::string_view log, ProfileSource way, std::vector<Profile>& profiles) const {
  if (way != ProfileSource::ncu) return;
  const std::vector<NcuKernel> kernels = read_ncu(log);
  if (kernels.size() != launches_of(profiles) && profiles.size() == 1) {
    profiles.front().launches.clear();
    for (const NcuKernel& kernel : kernels) profiles.front().launches.push_back(launch_of(kernel));
  } else if (kernels.size() != launches_of(profiles)) {
    throw environment_error(
        fmt::format("ncu counted {} kernels where {} were launched", kernels.size(), launches_of(profiles)));
  } else {
    auto kernel = kernels.begin();
    for (Profile& profile : profiles)
      for (LaunchProfile& launch : profile.launches) {
        launch.numbers.insert(launch.numbers.end(), kernel->numbers.begin(), kernel->numbers.end());
        ++kernel;
      }
  }
  for (Profile& profile : profiles) {
    profile.source = ProfileSource::ncu;
    profile.numbers = sum_of_launches(profile.launches);
  }
}

}  // namespace harness::cuda
