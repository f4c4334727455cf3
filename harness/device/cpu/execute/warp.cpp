#include "harness/device/cpu/execute/warp.h"

#include <algorithm>
#include <bit>

#include "harness/device/cpu/guest/harness_cpu/abi.h"

namespace harness::cpu {
namespace {

using Results = std::array<std::uint64_t, 32>;

template <typename Body>
void for_each_lane(std::uint32_t lanes, Body body) {
  for (; lanes; lanes &= lanes - 1) body(std::countr_zero(lanes));
}

Results shuffle(std::uint32_t present, const WarpExchange& in) {
  Results out{};
  for_each_lane(present, [&](int lane) {
    const int source = in.sources[lane];
    out[lane] = present >> source & 1 ? in.values[source] : undefined_lane(source);
  });
  return out;
}

std::uint32_t equal_to(std::uint64_t value, std::uint32_t present, const WarpExchange& in) {
  std::uint32_t lanes = 0;
  for_each_lane(present, [&](int lane) { lanes |= static_cast<std::uint32_t>(in.values[lane] == value) << lane; });
  return lanes;
}

std::uint64_t combine(int operation, std::uint64_t a, std::uint64_t b) {
  const auto sa = static_cast<std::int32_t>(a), sb = static_cast<std::int32_t>(b);
  const auto ua = static_cast<std::uint32_t>(a), ub = static_cast<std::uint32_t>(b);
  switch (operation) {
    case harness_cpu_warp_min_signed:
      return static_cast<std::uint32_t>(std::min(sa, sb));
    case harness_cpu_warp_max_signed:
      return static_cast<std::uint32_t>(std::max(sa, sb));
    case harness_cpu_warp_min_unsigned:
      return std::min(ua, ub);
    case harness_cpu_warp_max_unsigned:
      return std::max(ua, ub);
    case harness_cpu_warp_and:
      return ua & ub;
    case harness_cpu_warp_or:
      return ua | ub;
    case harness_cpu_warp_xor:
      return ua ^ ub;
    default:
      return ua + ub;
  }
}

std::uint64_t reduce(int operation, std::uint32_t present, const WarpExchange& in) {
  std::uint64_t result = in.values[std::countr_zero(present)];
  for_each_lane(present & (present - 1), [&](int lane) { result = combine(operation, result, in.values[lane]); });
  return result;
}

std::uint32_t ballot(std::uint32_t present, const WarpExchange& in) {
  std::uint32_t lanes = 0;
  for_each_lane(present, [&](int lane) { lanes |= static_cast<std::uint32_t>(in.values[lane] != 0) << lane; });
  return lanes;
}

}  // namespace

Results evaluate(int operation, std::uint32_t present, const WarpExchange& in) {
  if (operation == harness_cpu_warp_sync) return {};
  if (operation == harness_cpu_warp_shuffle) return shuffle(present, in);
  Results out{};
  if (operation == harness_cpu_warp_match_any) {
    for_each_lane(present, [&](int lane) { out[lane] = equal_to(in.values[lane], present, in); });
    return out;
  }
  std::uint64_t common = 0;
  if (operation == harness_cpu_warp_ballot) {
    common = ballot(present, in);
  } else if (operation == harness_cpu_warp_match_all) {
    const bool all = equal_to(in.values[std::countr_zero(present)], present, in) == present;
    common = all ? present : 0;
  } else {
    common = reduce(operation, present, in);
  }
  out.fill(common);
  return out;
}

}  // namespace harness::cpu
