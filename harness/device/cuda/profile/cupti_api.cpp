#include "harness/device/cuda/profile/cupti_api.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <vector>

#include "harness/core/error.h"
#include "harness/device/cuda/api/shared_library.h"
#include "harness/device/cuda/api/toolkit.h"

namespace harness::cuda {
namespace {

constexpr const char* kWhere =
    "install the CUDA toolkit or the pip package nvidia-cuda-cupti, or set CUDA_HOME to the toolkit's folder";

/// Paths first: a library of this name that the loader finds may be of another toolkit than its neighbour.
std::vector<std::string> nvperf_candidates() {
  std::vector<std::string> candidates;
  for (const std::string& root : toolkit_roots()) {
    for (const char* folder : {"/lib64/", "/lib/", "/extras/CUPTI/lib64/"}) {
      const std::string path = root + folder + "libnvperf_host.so";
      std::error_code ignored;
      if (std::filesystem::exists(path, ignored)) candidates.push_back(path);
    }
  }
  candidates.push_back("libnvperf_host.so");
  return candidates;
}

std::vector<std::string> cupti_candidates() {
  std::vector<std::string> candidates = library_candidates({"libcupti.so.13"});
  for (const std::string& root : toolkit_roots()) candidates.push_back(root + "/extras/CUPTI/lib64/libcupti.so.13");
  return candidates;
}

/// What mends an error that has a known cause.
std::string remedy(CuptiStatus status) {
  switch (status) {
    case kCuptiNoPrivileges:
      return "; only root may read counters here: run as root, or load the driver with the option "
             "NVreg_RestrictProfilingToAdminUsers=0 (in /etc/modprobe.d/nvidia.conf, then reboot)";
    case kCuptiHardwareBusy:
      return "; another process profiles this GPU: wait for it to end";
    case kCuptiVirtualDevice:
      return "; this GPU is virtual: allow profiling in the settings of its vGPU";
    case kCuptiNotInitialized:
      return "; libnvperf_host.so, which lies beside libcupti, could not be loaded";
    default:
      return "";
  }
}

CuptiLibrary open_cupti() {
  const SharedLibrary nvperf(nvperf_candidates());
  const SharedLibrary library(cupti_candidates());
  if (!library && !library.reason().empty())
    return {nullptr, fmt::format("libcupti does not load: {}.", library.reason())};
  if (!library) return {nullptr, fmt::format("libcupti.so.13, NVIDIA's profiling library, was not found: {}.", kWhere)};
  static CuptiApi api;
  std::vector<std::string> absent, optional;
#define X(symbol, ...) library.resolve(api.symbol, #symbol, absent);
  HARNESS_CUPTI_CALLS(X)
#undef X
  library.resolve(api.cuptiGetResultString, "cuptiGetResultString", optional);
  if (!absent.empty())
    return {nullptr, fmt::format("{} is too old: it lacks {}; install CUPTI of CUDA 13.", library.path(),
                                 fmt::join(absent, ", "))};
  return {&api, ""};
}

}  // namespace

void check_cupti(const CuptiApi& api, CuptiStatus status, const char* call) {
  if (status == kCuptiSuccess) return;
  const char* name = nullptr;
  if (api.cuptiGetResultString != nullptr) api.cuptiGetResultString(status, &name);
  throw environment_error(fmt::format("{} failed with code {}{}{}", call, status,
                                      name == nullptr ? "" : fmt::format(", {}", name), remedy(status)));
}

const CuptiLibrary& cupti_library() {
  static const CuptiLibrary library = open_cupti();
  return library;
}

}  // namespace harness::cuda
