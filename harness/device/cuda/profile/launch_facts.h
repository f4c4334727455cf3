#pragma once
#include <cstdint>
#include <vector>

#include "harness/core/profile.h"
#include "harness/device/cuda/run/loaded_plan.h"

namespace harness::cuda {

/// What a device holds of a launch.
struct HeldAtOnce {
  int multiprocessors = 0;
  int threads = 0;  // of one multiprocessor
};

/// What the machine code and the shape of a launch say: registers, shared memory, spills, occupancy, waves and tail. No
/// counters are needed.
LaunchProfile launch_facts(const LoadedPlan& plan, const Launch& launch, const HeldAtOnce& device);

/// The share of the device that is idle in the last wave of `blocks`, of which `at_once` run at a time.
double tail_share(std::int64_t blocks, std::int64_t at_once);

}  // namespace harness::cuda
