#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
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

  /// False: it is counted, but not kept.
  bool note(std::size_t place, std::uint32_t lane, std::uint64_t address, std::uint32_t bytes) {
    Place& log = of(place);
    const std::uint32_t number = log.times[lane]++;
    if (number >= kKept) return false;
    if (number >= log.bytes.size()) grow(log);
    log.bytes[number] = static_cast<std::uint8_t>(bytes);
    log.addresses[lane * log.stride + number] = address;
    return true;
  }

  /// Calls `body(place, request)` for what is kept, in about the order in which a warp would have made the requests:
  /// the first at each place, then the second. Then `end(place, kept, all, uneven)` for each place; all: how many
  /// there were. Empties the log.
  template <typename Body, typename End>
  void flush(Body body, End end) {
    std::uint32_t most = 0;
    for (const std::size_t place : touched_) most = std::max(most, measure(places_[place]).kept);
    for (std::uint32_t number = 0; number < most; ++number)
      for (const std::size_t place : touched_)
        if (number < places_[place].kept) body(place, request(places_[place], number));
    for (const std::size_t place : touched_) {
      Place& log = places_[place];
      end(place, log.kept, log.all, log.uneven);
      log.times.fill(0);
      log.touched = false;
    }
    touched_.clear();
  }

 private:
  // A lane's addresses lie side by side, for it writes them one after another. The lanes' rows are not a power of two
  // apart: a request reads one of each, and they would all want the same set of the processor's cache.
  struct Place {
    std::unique_ptr<std::uint64_t[]> addresses;
    std::size_t stride = 0;           // between the rows of two lanes
    std::vector<std::uint8_t> bytes;  // by request: of the access that came last
    bool touched = false;
    std::array<std::uint32_t, 32> times{};  // by lane
    // What measure() finds:
    std::uint32_t all = 0, kept = 0;  // requests
    std::uint32_t by_all = 0;         // that every lane takes part in that came at all
    std::uint32_t lanes = 0;          // those
    bool uneven = false;              // some of those came less often than others
  };

  Place& of(std::size_t place) {
    if (place < places_.size() && places_[place].touched) return places_[place];
    return touch(place);
  }
  Place& touch(std::size_t place);
  static void grow(Place& log);
  static Place& measure(Place& log);
  const Request& request(const Place& log, std::uint32_t number);

  std::vector<Place> places_;
  std::vector<std::size_t> touched_;
  Request request_;
};

}  // namespace harness::cpu
