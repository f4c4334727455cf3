#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "harness/device/cpu/count/request.h"

namespace harness::cpu {

/// What the lanes of a warp did since they last converged. Lanes run one after another here, so the n-th access of one
/// lane at a place belongs to the n-th of the others there.
class WarpLog {
 public:
  /// At one place between two points of convergence so many requests are kept; the rest count as those.
  static constexpr std::uint32_t kKept = 2048;

  void note(std::size_t place, std::uint32_t lane, std::uint64_t address, std::uint32_t bytes) {
    Place& log = of(place);
    const std::uint32_t number = log.times[lane]++;
    if (number >= kKept) return;
    if (number >= log.used) grow(log, number);
    Request& request = log.requests[number];
    request.lanes |= 1u << lane;
    request.bytes = bytes;
    request.address[lane] = address;
  }

  /// Calls `body(place, request)` for what is kept, in about the order in which a warp would have made the requests:
  /// the first at each place, then the second. Then `end(place, kept, all, uneven)` for each place; all: how many
  /// there were. Empties the log.
  template <typename Body, typename End>
  void flush(Body body, End end) {
    std::uint32_t most = 0;
    for (const std::size_t place : touched_) most = std::max(most, places_[place].used);
    for (std::uint32_t number = 0; number < most; ++number)
      for (const std::size_t place : touched_)
        if (number < places_[place].used) body(place, places_[place].requests[number]);
    for (const std::size_t place : touched_) {
      Place& log = places_[place];
      const auto [all, uneven] = times(log);
      end(place, log.used, all, uneven);
      log.times.fill(0);
      log.used = 0;
      log.touched = false;
    }
    touched_.clear();
  }

 private:
  struct Place {
    std::vector<Request> requests;
    std::uint32_t used = 0;  // of them
    bool touched = false;
    std::array<std::uint32_t, 32> times{};  // by lane
  };

  Place& of(std::size_t place);
  static void grow(Place& log, std::uint32_t number);
  /// How often the lane came that came most often, and whether others came less often, but came.
  static std::pair<std::uint32_t, bool> times(const Place& log);

  std::vector<Place> places_;
  std::vector<std::size_t> touched_;
};

}  // namespace harness::cpu
