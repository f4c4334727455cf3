#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/device.h"

// GPUs as numbers: what a prediction needs to know of one that is not here. gpus/*.lua holds the numbers, each with its
// source; script/gpus reads them.
namespace harness {

/// One GPU. Rates are what a kernel reaches, not what a data sheet promises, where somebody has measured it. All
/// numbers are positive, unless 0 is said to mean something.
struct GpuFacts {
  std::string name;          // "H200", as it stands in the name of a device; of a device that predicts its times, too
  std::string architecture;  // what machine code is compiled for: "sm_90a"
  int rank = 1000;           // lists are in this order; the first GPU stands in where nobody names one
  int warp_lanes = 0;        // threads that run in step
  int multiprocessors = 0;
  double clock_hz = 0;
  double bytes_per_s = 0;              // device memory
  double l2_bytes_per_s = 0;           // hits
  double l2_repeated_bytes_per_s = 0;  // hits on what other blocks ask for, too
  double cluster_bytes_per_s = 0;      // stores to shared memory of other blocks of a cluster; 0: there are no clusters
  std::int64_t l2_bytes = 0;
  int l2_slices = 0;                           // parts of the L2, each with its own unit for atomic operations
  double fma_flops = 0;                        // f32, two for each multiply-add
  double tensor_flops = 0;                     // f16 and bf16, dense
  double exps_per_s = 0;                       // of the unit for ex2, rcp and the like
  double launch_ns = 0;                        // an empty kernel inside a graph
  double memory_ns = 0;                        // latency of a load from device memory
  double l2_ns = 0, l1_ns = 0, shared_ns = 0;  // of hits
  // What a multiprocessor holds, and in which units it is given out.
  int warps = 0, blocks = 0;
  std::int64_t registers = 0;
  std::int64_t register_unit = 0;          // registers are given to warps in multiples of so many
  std::int64_t shared_bytes = 0;           // of all its blocks
  std::int64_t shared_unit = 0;            // bytes: shared memory is given to blocks in multiples of so many
  std::int64_t reserved_shared_bytes = 0;  // of each block, beside what it asks for
};

/// The GPUs that this program has facts of, the first rank first. Read once, when somebody first asks; from then on
/// they are constants of the process. Throws what the reader throws. Thread-safe.
const std::vector<GpuFacts>& gpus();
/// How gpus() reads them. Called once, before anybody asks: the composition root does (script/gpus). Without a reader
/// there are none.
void read_gpus_by(std::function<std::vector<GpuFacts>()> reader);

/// By name; case does not matter. "" is the first one. Throws Error(bad_input), with the nearest name, for an unknown
/// one.
const GpuFacts& find_gpu(std::string_view name);
/// The GPU whose name stands in a device's ("NVIDIA H200"); nullptr: none.
const GpuFacts* gpu_of_device(std::string_view device_name);

/// Registers that the threads of a block share on a device.
std::int64_t block_registers(const DeviceInfo& device);

/// An emulated device whose times are those that are predicted for a GPU: "cpu:H200". Throws Error(bad_input) for a
/// device that has times of its own.
DeviceInfo predicting(DeviceInfo emulation, const GpuFacts& gpu);
/// What whoever writes for a device is to know of it: of one whose times are predicted, the GPU that they are predicted
/// for, with the rates of its facts; else the device itself. It is for words and for Lua's `device`, and runs nothing.
DeviceInfo written_for(const DeviceInfo& device);
/// "H200" of the device "cpu:H200"; "" of one that predicts nothing, such as "cpu" and "cuda:0".
std::string predicted_gpu(const std::string& device);

}  // namespace harness
