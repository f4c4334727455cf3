#include "harness/core/gpu.h"

#include <algorithm>
#include <cassert>
#include <cctype>

#include "harness/core/error.h"
#include "harness/core/suggest.h"

namespace harness {
namespace {

using GpuReader = std::function<std::vector<GpuFacts>()>;

GpuReader& gpu_reader() {
  static GpuReader reader;
  return reader;
}

std::string lower(std::string_view text) {
  std::string lowered(text);
  std::ranges::transform(lowered, lowered.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lowered;
}

}  // namespace

void read_gpus_by(GpuReader reader) {
  gpu_reader() = std::move(reader);
}

const std::vector<GpuFacts>& gpus() {
  static const std::vector<GpuFacts> all = gpu_reader() ? gpu_reader()() : std::vector<GpuFacts>();
  return all;
}

const GpuFacts& find_gpu(std::string_view name) {
  std::vector<std::string> names;
  for (const GpuFacts& gpu : gpus()) {
    if (name.empty() || lower(gpu.name) == lower(name)) return gpu;
    names.push_back(gpu.name);
  }
  if (names.empty()) throw bad_input("no facts of a GPU are here: the folder gpus/ that came with harness is missing");
  std::string listed;
  for (const std::string& other : names) listed += (listed.empty() ? "" : ", ") + other;
  throw bad_input("there is no model of a GPU '" + std::string(name) + "'" + did_you_mean(std::string(name), names) +
                  "; there are " + listed);
}

const GpuFacts* gpu_of_device(std::string_view device_name) {
  std::string squeezed = lower(device_name);
  std::erase(squeezed, ' ');
  for (const GpuFacts& gpu : gpus())
    if (squeezed.find(lower(gpu.name)) != std::string::npos) return &gpu;
  return nullptr;
}

// Of a GPU without facts, and of code for one that is not here: what every architecture from sm_50 to sm_100 has (CUDA
// C++ Programming Guide, "Technical Specifications per Compute Capability").
std::int64_t block_registers(const DeviceInfo& device) {
  constexpr std::int64_t kUsual = 65536;
  const GpuFacts* const gpu = gpu_of_device(device.name);
  return gpu == nullptr ? kUsual : gpu->registers;
}

DeviceInfo predicting(DeviceInfo emulation, const GpuFacts& gpu) {
  if (!emulation.emulation)
    throw bad_input("times of " + emulation.device + " are measured; to predict them, name --device cpu");
  assert(!gpu.name.empty());
  emulation.predicts = gpu.name;
  emulation.device = device_kind(emulation.device) + ":" + gpu.name;
  emulation.name = gpu.name + ", predicted, not measured";
  return emulation;
}

DeviceInfo written_for(const DeviceInfo& device) {
  const GpuFacts* const gpu = device.predicts.empty() ? nullptr : gpu_of_device(device.predicts);
  if (gpu == nullptr) return device;
  DeviceInfo told = device;
  told.emulation = false;
  told.architecture = gpu->architecture;
  told.multiprocessors = gpu->multiprocessors;
  told.l2_bytes = gpu->l2_bytes;
  told.peak_bytes_per_s = gpu->bytes_per_s;
  told.peak_flops = {{"f32", gpu->fma_flops}, {"f16", gpu->tensor_flops}, {"bf16", gpu->tensor_flops}};
  told.peak_exps_per_s = gpu->exps_per_s;
  return told;
}

// A number is that of a device. Whoever reads a record need not have facts of the GPU that it names.
std::string predicted_gpu(const std::string& device) {
  const std::size_t colon = device.find(':');
  if (colon == std::string::npos) return "";
  const std::string suffix = device.substr(colon + 1);
  return suffix.find_first_not_of("0123456789*") == std::string::npos ? "" : suffix;
}

}  // namespace harness
