#include "harness/predict/occupancy.h"

#include <algorithm>
#include <cassert>

namespace harness {
namespace {

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) {
  assert(unit > 0);
  return (value + unit - 1) / unit * unit;
}

}  // namespace

int blocks_at_once(const GpuFacts& gpu, const BlockNeeds& needs) {
  if (needs.threads <= 0) return 0;
  const std::int64_t warps = (needs.threads + gpu.warp_lanes - 1) / gpu.warp_lanes;
  std::int64_t blocks = std::min<std::int64_t>(gpu.blocks, gpu.warps / warps);
  if (needs.registers > 0) {
    const std::int64_t warp_registers = rounded_up(std::int64_t{needs.registers} * gpu.warp_lanes, gpu.register_unit);
    blocks = std::min(blocks, gpu.registers / warp_registers / warps);
  }
  const std::int64_t shared = rounded_up(needs.shared_bytes, gpu.shared_unit) + gpu.reserved_shared_bytes;
  return static_cast<int>(std::min(blocks, gpu.shared_bytes / shared));
}

}  // namespace harness
