#include "harness/device/cuda/profile/launch_facts.h"

#include <algorithm>

namespace harness::cuda {
namespace {

constexpr std::int64_t kWarp = 32;

std::int64_t count(const Dim3& dim) {
  return std::int64_t{dim.x} * dim.y * dim.z;
}

}  // namespace

double tail_share(std::int64_t blocks, std::int64_t at_once) {
  if (at_once <= 0 || blocks % at_once == 0) return 0;
  return 1 - static_cast<double>(blocks % at_once) / static_cast<double>(at_once);
}

LaunchProfile launch_facts(const LoadedPlan& plan, const Launch& launch, const HeldAtOnce& device) {
  const EntryResources entry = plan.resources(launch);
  const std::int64_t blocks = count(launch.grid), threads = count(launch.block);
  LaunchProfile profile{launch.entry, blocks, blocks, {}, {}};
  const auto add = [&](const char* name, double value) { profile.numbers.push_back({name, value}); };
  add("blocks", static_cast<double>(blocks));
  add("block_threads", static_cast<double>(threads));
  add("registers", entry.registers);
  add("shared_bytes", static_cast<double>(entry.static_shared_bytes + launch.shared));
  add("spill_bytes", static_cast<double>(entry.spill_bytes));
  const std::int64_t held = plan.blocks_at_once(launch), at_once = held * device.multiprocessors;
  if (at_once > 0) {
    add("waves", static_cast<double>(blocks) / static_cast<double>(at_once));
    add("tail_share", tail_share(blocks, at_once));
  }
  if (held > 0 && device.threads > 0) {
    const std::int64_t warps = held * ((threads + kWarp - 1) / kWarp);
    add("occupancy_share", std::min(1.0, static_cast<double>(warps * kWarp) / device.threads));
  }
  return profile;
}

}  // namespace harness::cuda
