#include "harness/core/gpu_model.h"

#include <algorithm>
#include <cctype>

#include "harness/core/error.h"
#include "harness/core/suggest.h"

namespace harness {
namespace {

std::string lower(std::string_view text) {
  std::string made(text);
  std::ranges::transform(made, made.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return made;
}

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

// Multiprocessors, clocks, peaks, sizes of caches: NVIDIA's data sheets of H200 SXM (2024), A100 80 GB SXM (2021) and
// GeForce RTX 4090 (Ada GPU architecture, 2022). Warps, blocks and shared memory: CUDA C++ Programming Guide, table
// "Technical Specifications per Compute Capability". ex2: 16 a cycle and multiprocessor, the same guide, "Throughput of
// Native Arithmetic Instructions".
// H200: bytes_per_s, l2_bytes_per_s and launch_ns were measured (docs/reports/h200.md). H100 SXM is the same chip beside slower
// memory, whose rate two cards measured (bench/h200/cards_h100.json). Those of the others are 0.9 of the data
// sheet's bandwidth, and the H200's launch; their L2 rates are 64 bytes a cycle and multiprocessor, as far as the
// measured share (0.35) of that on the H200 goes. Latencies are of the order that micro-benchmarks find (Luo et al.,
// arXiv:2402.13499; Abdelkhalik et al., arXiv:2208.11174), and nobody measured them here.
//
// What several blocks ask for comes faster than the rest of the L2, and stores to other blocks of a cluster have a way
// of their own: bench/costs.cu measured both on an H100 (docs/profile.md). 14 TB/s are 0.84 of 64 bytes a cycle and
// multiprocessor, which stands in on the others.
const std::vector<GpuModel>& gpu_models() {
  static const GpuModel h200{.name = "H200",
                             .architecture = "sm_90a",
                             .multiprocessors = 132,
                             .clock_hz = 1.98e9,
                             .bytes_per_s = 4.2e12,
                             .l2_bytes_per_s = 5.8e12,
                             .l2_repeated_bytes_per_s = 14e12,
                             .cluster_bytes_per_s = 3.6e12,
                             .l2_bytes = 50ll << 20,
                             .fma_flops = 67e12,
                             .tensor_flops = 800e12,
                             .exps_per_s = 4.18e12,
                             .launch_ns = 560,
                             .memory_ns = 450,
                             .l2_ns = 140,
                             .l1_ns = 20,
                             .shared_ns = 15,
                             .warps = 64,
                             .blocks = 32,
                             .shared_bytes = 228 << 10};
  static const GpuModel h100 = [] {
    GpuModel model = h200;
    model.name = "H100";
    model.bytes_per_s = 2.76e12;
    model.memory_ns = 430;
    return model;
  }();
  static const std::vector<GpuModel> models = {
      h200,
      h100,
      {.name = "A100",
       .architecture = "sm_80",
       .multiprocessors = 108,
       .clock_hz = 1.41e9,
       .bytes_per_s = 1.8e12,
       .l2_bytes_per_s = 3.4e12,
       .l2_repeated_bytes_per_s = 8.2e12,
       .l2_bytes = 40ll << 20,
       .fma_flops = 19.5e12,
       .tensor_flops = 280e12,
       .exps_per_s = 2.44e12,
       .launch_ns = 560,
       .memory_ns = 400,
       .l2_ns = 150,
       .l1_ns = 25,
       .shared_ns = 18,
       .warps = 64,
       .blocks = 32,
       .shared_bytes = 164 << 10},
      {.name = "RTX4090",
       .architecture = "sm_89",
       .multiprocessors = 128,
       .clock_hz = 2.52e9,
       .bytes_per_s = 0.92e12,
       .l2_bytes_per_s = 5e12,
       .l2_repeated_bytes_per_s = 17e12,
       .l2_bytes = 72ll << 20,
       .fma_flops = 82e12,
       .tensor_flops = 165e12,
       .exps_per_s = 5.16e12,
       .launch_ns = 560,
       .memory_ns = 350,
       .l2_ns = 110,
       .l1_ns = 14,
       .shared_ns = 12,
       .warps = 48,
       .blocks = 24,
       .shared_bytes = 100 << 10},
  };
  return models;
}

const GpuModel& find_gpu_model(std::string_view name) {
  std::vector<std::string> names;
  for (const GpuModel& each : gpu_models()) {
    if (lower(each.name) == lower(name)) return each;
    names.emplace_back(each.name);
  }
  std::string known;
  for (const std::string& each : names) known += (known.empty() ? "" : ", ") + each;
  throw bad_input("there is no model of a GPU '" + std::string(name) + "'" + did_you_mean(std::string(name), names) +
                  "; there are " + known);
}

const GpuModel* gpu_model_of(std::string_view device_name) {
  for (const GpuModel& each : gpu_models()) {
    std::string squeezed = lower(device_name);
    std::erase(squeezed, ' ');
    if (squeezed.find(lower(each.name)) != std::string::npos) return &each;
  }
  return nullptr;
}

DeviceInfo predicting(DeviceInfo emulation, const GpuModel& gpu) {
  if (!emulation.emulation)
    throw bad_input("times of " + emulation.device + " are measured; to predict them, name --device cpu");
  emulation.predicts = gpu.name;
  emulation.device = device_kind(emulation.device) + ":" + std::string(gpu.name);
  emulation.name = std::string(gpu.name) + ", predicted, not measured";
  return emulation;
}

std::string predicted_gpu(const std::string& device) {
  const std::size_t colon = device.find(':');
  if (colon == std::string::npos) return "";
  const std::string suffix = device.substr(colon + 1);
  const auto known = std::ranges::find(gpu_models(), suffix, &GpuModel::name);
  return known == gpu_models().end() ? "" : suffix;
}

int blocks_at_once(const GpuModel& gpu, const BlockNeeds& needs) {
  constexpr std::int64_t kWarpLanes = 32, kRegisterUnit = 256, kSharedUnit = 128, kReservedShared = 1024;
  if (needs.threads <= 0) return 0;
  const std::int64_t warps = (needs.threads + kWarpLanes - 1) / kWarpLanes;
  std::int64_t blocks = std::min<std::int64_t>(gpu.blocks, gpu.warps / warps);
  if (needs.registers > 0) {
    const std::int64_t a_warp = rounded_up(needs.registers * kWarpLanes, kRegisterUnit);
    blocks = std::min(blocks, gpu.registers / a_warp / warps);
  }
  const std::int64_t shared = rounded_up(needs.shared_bytes, kSharedUnit) + kReservedShared;
  return static_cast<int>(std::min(blocks, gpu.shared_bytes / shared));
}

}  // namespace harness
