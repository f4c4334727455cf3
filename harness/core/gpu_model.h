#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/device.h"

// GPUs as numbers, for predicting times without one. gpu_model.cpp says where each number comes from.
namespace harness {

/// One GPU. Rates are what a kernel reaches, not what a data sheet promises, where somebody has measured it.
struct GpuModel {
  std::string_view name;          // "H200"
  std::string_view architecture;  // what machine code is compiled for: "sm_90a"
  int multiprocessors = 0;
  double clock_hz = 0;
  double bytes_per_s = 0;              // device memory
  double l2_bytes_per_s = 0;           // hits
  double l2_repeated_bytes_per_s = 0;  // hits on what other blocks ask for, too
  double cluster_bytes_per_s = 0;      // stores to shared memory of other blocks of a cluster; 0: there are no clusters
  std::int64_t l2_bytes = 0;
  double fma_flops = 0;                        // f32, two for each multiply-add
  double tensor_flops = 0;                     // f16 and bf16, dense
  double exps_per_s = 0;                       // of the unit for ex2, rcp and the like
  double launch_ns = 0;                        // an empty kernel inside a graph
  double memory_ns = 0;                        // latency of a load from device memory
  double l2_ns = 0, l1_ns = 0, shared_ns = 0;  // of hits
  // What a multiprocessor holds.
  int warps = 0, blocks = 0;
  std::int64_t registers = 65536;
  std::int64_t shared_bytes = 0;  // of all its blocks
};

const std::vector<GpuModel>& gpu_models();
/// Throws Error(bad_input), with the nearest name, for an unknown one. Case does not matter.
const GpuModel& find_gpu_model(std::string_view name);
/// The model whose name stands in a device's ("NVIDIA H200"); nullptr: none.
const GpuModel* gpu_model_of(std::string_view device_name);

/// An emulated device whose times are those that the model predicts: "cpu:H200". Throws Error(bad_input) for a device
/// that has times of its own.
DeviceInfo predicting(DeviceInfo emulation, const GpuModel& gpu);
/// "H200" of the device "cpu:H200"; "" of one that predicts nothing.
std::string predicted_gpu(const std::string& device);

/// What a block needs.
struct BlockNeeds {
  std::int64_t threads = 0;
  int registers = 0;  // a thread; 0: unknown, and then they limit nothing
  std::int64_t shared_bytes = 0;
};
/// Blocks that a multiprocessor holds at once; 0: not one fits. Registers are given out by 256 a warp, shared memory by
/// 128 bytes and 1 KiB more a block (CUDA C++ Programming Guide, compute capabilities).
int blocks_at_once(const GpuModel& gpu, const BlockNeeds& needs);

}  // namespace harness
