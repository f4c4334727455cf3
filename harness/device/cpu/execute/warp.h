#pragma once
#include <array>
#include <cstdint>

namespace harness::cpu {

/// What the lanes of a warp brought to a collective; index: lane.
struct WarpExchange {
  std::array<std::uint64_t, 32> values{};
  std::array<std::uint8_t, 32> sources{};
};

/// What a shuffle gets from a lane that is not there: undefined on a GPU, all ones here (a NaN in every float type).
constexpr std::uint64_t kUndefinedLane = ~std::uint64_t{0};

/// The result of each lane of `present` (the lanes that called). `operation` is a HarnessCpuWarpOperation.
std::array<std::uint64_t, 32> evaluate(int operation, std::uint32_t present, const WarpExchange& exchange);

}  // namespace harness::cpu
