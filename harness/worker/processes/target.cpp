#include "harness/worker/processes/target.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/json_fields.h"
#include "harness/device/cpu/compile/compiler.h"
#include "harness/device/cpu/probe.h"
#include "harness/device/cpu/session.h"
#include "harness/device/cuda/compile/compiler.h"
#include "harness/device/cuda/probe.h"
#include "harness/device/cuda/session.h"
#include "harness/system/walls.h"

namespace harness {

bool is_cpu(const Target& target) {
  return target.device == "cpu";
}

int cuda_ordinal(const Target& target) {
  return std::stoi(target.device.substr(target.device.find(':') + 1));
}

std::unique_ptr<Compiler> make_compiler(const Target& target) {
  if (is_cpu(target))
    return std::make_unique<CpuCompiler>(target.cache_folder, target.cpu_headers, "", walls_here(), target.compile);
  return std::make_unique<cuda::NvrtcCompiler>(target.cache_folder, target.architecture, target.toolkit_include,
                                               walls_here(), target.compile);
}

std::unique_ptr<Session> make_session(const Target& target) {
  if (is_cpu(target)) return std::make_unique<CpuSession>();
  return std::make_unique<cuda::CudaSession>(cuda_ordinal(target), target.cache_folder);
}

std::vector<DeviceInfo> probe_devices() {
  std::vector<DeviceInfo> devices = cuda::probe_cuda();
  devices.push_back(probe_cpu());
  return devices;
}

HARNESS_JSON(Target, device, architecture, cache_folder, cpu_headers, toolkit_include, compile)

}  // namespace harness
