#pragma once
#include <array>
#include <cstdint>

namespace harness::cpu {

/// What the lanes of a warp brought to a collective; index: lane.
struct WarpExchange {
  std::array<std::uint64_t, 32> values{};
  std::array<std::uint8_t, 32> sources{};
};

/// What a shuffle gets from a lane that is not there: undefined on a GPU. All ones here, a NaN in every float type, or
/// an infinity of f32 and the like in other types: a maximum swallows NaN, and a minimum the one infinity.
constexpr std::uint64_t undefined_lane(int source) {
  constexpr std::uint64_t kNan = ~std::uint64_t{0}, kInfinity = 0x7f8000007f800000u, kSigns = 0x8000000080000000u;
  return source % 3 == 0 ? kNan : source % 3 == 1 ? kInfinity : kInfinity | kSigns;
}

/// The result of each lane of `present` (the lanes that called). `operation` is a HarnessCpuWarpOperation.
std::array<std::uint64_t, 32> evaluate(int operation, std::uint32_t present, const WarpExchange& exchange);

}  // namespace harness::cpu
