#include "harness/device/cuda/probe.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/device/cuda/api/check.h"
#include "harness/device/cuda/api/nvrtc_api.h"

namespace harness::cuda {
namespace {

/// Operations per clock of one SM; a fused multiply-add is two. Dense rates, of the tensor cores where they have the
/// type. Sources: NVIDIA's architecture white papers for A100, GA102, AD102, H100 and B200.
struct SmRates {
  int compute_capability;
  double f64, f32, tf32, f16, f8, s8;
};
constexpr SmRates kRates[] = {
    {80, 128, 128, 1024, 2048, 0, 4096},       {86, 4, 256, 512, 1024, 0, 2048},
    {89, 4, 256, 512, 1024, 2048, 2048},       {90, 256, 256, 2048, 4096, 8192, 8192},
    {100, 128, 256, 4096, 8192, 16384, 16384},
};
constexpr double kExpsPerClock = 16;  // special function units: 4 in each quarter of an SM

int attribute(const DriverApi& api, Device device, int which) {
  int value = 0;
  check_environment(api, api.cuDeviceGetAttribute(&value, which, device), "cuDeviceGetAttribute");
  return value;
}

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

/// Sentences about compiling, which needs no GPU.
std::vector<std::string> missing_for_compiling() {
  std::vector<std::string> missing;
  if (!nvrtc_library().api) missing.push_back(nvrtc_library().missing);
  if (find_toolkit_include().empty()) {
    missing.push_back(
        "No folder with cuda_fp16.h was found: it is needed to compile kernels with half or bfloat16; install the CUDA "
        "toolkit or the pip package nvidia-cuda-runtime, or set CUDA_HOME.");
  }
  return missing;
}

DeviceInfo no_device(const std::string& why) {
  DeviceInfo info;
  info.device = "cuda:0";
  info.missing = {why};
  describe_compiler(info);
  if (nvrtc_library().api) {
    info.missing.push_back(fmt::format("libnvrtc {} was found: compiling for a named architecture works without a GPU.",
                                       nvrtc_library().api->version()));
  }
  return info;
}

}  // namespace

bool nvrtc_available() {
  return nvrtc_library().api != nullptr;
}

void describe_compiler(DeviceInfo& info) {
  if (nvrtc_library().api) info.compiler = "NVRTC " + nvrtc_library().api->version();
  for (auto& sentence : missing_for_compiling()) info.missing.push_back(std::move(sentence));
}

std::string architecture_of(int compute_capability) {
  return fmt::format("sm_{}{}", compute_capability, compute_capability >= 90 ? "a" : "");
}

void set_compute_peaks(DeviceInfo& info, double clock_hz) {
  for (const SmRates& rates : kRates) {
    if (rates.compute_capability != info.compute_capability) continue;
    const double clocks = clock_hz * info.multiprocessors;
    info.peak_flops = {{"f64", rates.f64 * clocks},  {"f32", rates.f32 * clocks}, {"tf32", rates.tf32 * clocks},
                       {"bf16", rates.f16 * clocks}, {"f16", rates.f16 * clocks}, {"s8", rates.s8 * clocks},
                       {"u8", rates.s8 * clocks}};
    if (rates.f8 > 0) info.peak_flops["e4m3"] = info.peak_flops["e5m2"] = rates.f8 * clocks;
    info.peak_exps_per_s = kExpsPerClock * clocks;
  }
}

/// "GPU-1d7a9e02-...": as nvidia-smi writes it.
std::string uuid_of(const DriverApi& api, Device device) {
  Uuid uuid = {};
  check_environment(api, api.cuDeviceGetUuid_v2(&uuid, device), "cuDeviceGetUuid");
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i)
    text += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid.bytes[i]);
  return text;
}

DeviceInfo describe_device(const DriverApi& api, int ordinal) {
  DeviceInfo info;
  Device device = 0;
  char name[256] = {};
  std::size_t memory = 0;
  int driver = 0;
  check_environment(api, api.cuDeviceGet(&device, ordinal), "cuDeviceGet");
  check_environment(api, api.cuDeviceGetName(name, sizeof name, device), "cuDeviceGetName");
  check_environment(api, api.cuDeviceTotalMem_v2(&memory, device), "cuDeviceTotalMem");
  check_environment(api, api.cuDriverGetVersion(&driver), "cuDriverGetVersion");
  info.device = fmt::format("cuda:{}", ordinal);
  info.name = name;
  info.uuid = uuid_of(api, device);
  info.available = true;
  info.driver = "CUDA " + version_text(driver);
  info.compute_capability = 10 * attribute(api, device, kCapabilityMajor) + attribute(api, device, kCapabilityMinor);
  info.architecture = architecture_of(info.compute_capability);
  info.admission_key = info.architecture + ", " + info.driver;
  info.multiprocessors = attribute(api, device, kMultiprocessorCount);
  info.max_threads_per_block = attribute(api, device, kMaxThreadsPerBlock);
  info.max_shared_bytes = attribute(api, device, kMaxSharedOptin);
  info.l2_bytes = attribute(api, device, kL2CacheBytes);
  info.memory_bytes = static_cast<std::int64_t>(memory);
  // Two transfers a clock over the width of the bus.
  info.peak_bytes_per_s =
      attribute(api, device, kMemoryClockRateKhz) * 1e3 * 2 * attribute(api, device, kMemoryBusWidth) / 8;
  set_compute_peaks(info, attribute(api, device, kClockRateKhz) * 1e3);
  return info;
}

std::vector<DeviceInfo> probe_cuda() {
  const DriverLibrary& library = driver_library();
  if (!library.api) return {no_device(library.missing)};
  const DriverApi& api = *library.api;
  int count = 0;
  const Status started = api.cuInit(0);
  if (started != kSuccess)
    return {no_device("The NVIDIA driver does not start: " + describe(api, started, "cuInit") + ".")};
  const Status counted = api.cuDeviceGetCount(&count);
  if (counted != kSuccess || count == 0) return {no_device("The NVIDIA driver sees no GPU.")};
  std::vector<DeviceInfo> devices;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    try {
      devices.push_back(describe_device(api, ordinal));
      describe_compiler(devices.back());
    } catch (const Error& error) {
      devices.push_back(no_device(error.what()));
      devices.back().device = fmt::format("cuda:{}", ordinal);
    }
  }
  return devices;
}

}  // namespace harness::cuda
