#include "harness/device/cuda/cuda_kind.h"

#include <cstdlib>
#include <sstream>

#include "harness/device/cuda/compile/compiler.h"
#include "harness/device/cuda/compile/cubin.h"
#include "harness/device/cuda/compile/cubin_cache.h"
#include "harness/device/cuda/compile/disassembly.h"
#include "harness/device/cuda/compile/machine_code.h"
#include "harness/device/cuda/judge/cuda_judge.h"
#include "harness/device/cuda/judge/judging_source.h"
#include "harness/device/cuda/memory/compute_sanitizer.h"
#include "harness/device/cuda/peaks/peaks.h"
#include "harness/device/cuda/probe.h"
#include "harness/device/cuda/profile/cuda_profiler.h"
#include "harness/device/cuda/run/measuring_kernels.h"
#include "harness/device/cuda/run/refresh_source.h"
#include "harness/device/cuda/session.h"
#include "harness/system/files.h"
#include "harness/system/walls.h"

namespace harness::cuda {

std::vector<DeviceInfo> CudaKind::probe() const {
  return probe_cuda();
}

std::string CudaKind::identity(const std::string& device) const {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible == nullptr) return device;
  std::istringstream list(visible);
  std::string entry;
  for (int left = device_number(device); left >= 0 && std::getline(list, entry, ',');) --left;
  return entry.empty() ? device : "cuda:" + entry;
}

std::string CudaKind::find_headers(const std::string&) const {
  return find_toolkit_include();
}

std::optional<DeviceInfo> CudaKind::describe_architecture(const std::string& architecture) const {
  if (!architecture.starts_with("sm_")) return std::nullopt;
  DeviceInfo info;
  info.device = "cuda:0";
  info.architecture = architecture;
  info.compiler = "NVRTC";
  if (!nvrtc_available()) info.missing = {"no NVRTC here"};
  info.compute_capability = std::atoi(architecture.c_str() + 3);
  info.multiprocessors = 132;  // as an H100 or H200: the limits of launches on smaller ones are not known here
  info.max_shared_bytes = 232448;
  return info;
}

std::unique_ptr<Compiler> CudaKind::make_compiler(const Target& target, const Walls& walls) const {
  return std::make_unique<NvrtcCompiler>(target.cache_folder, target.architecture, target.headers, walls,
                                         target.compile);
}

std::unique_ptr<Session> CudaKind::make_session(const Target& target) const {
  return std::make_unique<CudaSession>(device_number(target.device), target.cache_folder, target.trust_source);
}

std::vector<BuildSpec> CudaKind::own_builds(const DeviceInfo& device) const {
  PeakSource peaks = peak_source(device.compute_capability, device.architecture);
  std::vector<BuildSpec> builds;
  for (auto& kernel : peaks.tensor) builds.push_back(std::move(kernel.build));
  builds.insert(builds.end(),
                {judging_build(), std::move(peaks.memory_and_arithmetic), refresh_build(), measuring_build()});
  return builds;
}

std::unique_ptr<DeviceJudge> CudaKind::make_judge(const Target& target) const {
  return std::make_unique<CudaJudge>(device_number(target.device), target.architecture, target.cache_folder);
}

std::map<std::string, std::string> CudaKind::linked_names(const Artifact& artifact) const {
  return cuda::lowered_names(artifact);
}

std::string CudaKind::image_hash(std::string_view image) const {
  return cuda::image_hash(image);
}

Disassembly CudaKind::disassemble(const Artifact& artifact) const {
  return cuda::disassemble(artifact.path, find_disassembler(), walls_here());
}

std::map<std::string, MachineCode> CudaKind::machine_code(const Artifact& artifact) const {
  const auto kernels = cuda::read_machine_code(read_file_if_any(artifact.path).value_or(""));
  std::map<std::string, MachineCode> by_entry;
  for (const auto& [entry, mangled] : linked_names(artifact))
    if (const auto lowered = kernels.find(mangled); lowered != kernels.end()) by_entry[entry] = lowered->second;
  return by_entry;
}

BuildSpec CudaKind::checked_build(BuildSpec spec) const {
  spec.options.push_back("-lineinfo");
  return spec;
}

std::unique_ptr<MemoryWatcher> CudaKind::make_watcher() const {
  return std::make_unique<ComputeSanitizer>();
}

std::unique_ptr<DeviceProfiler> CudaKind::make_profiler() const {
  return std::make_unique<CudaProfiler>();
}

}  // namespace harness::cuda
