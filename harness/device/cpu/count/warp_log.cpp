#include "harness/device/cpu/count/warp_log.h"

#include <algorithm>

namespace harness::cpu {

WarpLog::Place& WarpLog::of(std::size_t place) {
  if (place >= places_.size()) places_.resize(place + 1);
  Place& log = places_[place];
  if (!log.touched) {
    log.touched = true;
    touched_.push_back(place);
  }
  return log;
}

void WarpLog::grow(Place& log, std::uint32_t number) {
  if (number >= log.requests.size()) log.requests.resize(std::max<std::size_t>(8, log.requests.size() * 2));
  for (; log.used <= number; ++log.used) log.requests[log.used].lanes = 0;
}

std::pair<std::uint32_t, bool> WarpLog::times(const Place& log) {
  std::uint32_t most = 0;
  for (const std::uint32_t each : log.times) most = std::max(most, each);
  const bool uneven = std::ranges::any_of(log.times, [&](std::uint32_t each) { return each != 0 && each != most; });
  return {most, uneven};
}

}  // namespace harness::cpu
