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

  /// False: it is counted, but not kept.
  bool note(std::size_t place, std::uint32_t lane, std::uint64_t address, std::uint32_t bytes) {
    Place& log = of(place);
    const std::uint32_t number = log.times[lane]++;
    if (number >= kKept) return false;
    if (number >= log.bytes.size()) log.bytes.resize(std::clamp<std::size_t>(8 * log.bytes.size(), 8, kKept));
    log.bytes[number] = static_cast<std::uint8_t>(bytes);
    std::vector<Run>& runs = log.runs[lane];
    if (number == 0 || !runs.back().takes(address)) runs.push_back({address, 0, 1});
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
      for (std::uint32_t lane = 0; lane < log.times.size(); ++lane)
        if (log.times[lane] != 0) log.runs[lane].clear();
      log.times.fill(0);
      log.touched = false;
    }
    touched_.clear();
  }

 private:
  /// Accesses of a lane that lie equally far apart, as those of a loop mostly do. Kept one by one, they would take more
  /// time than all the rest: to ask the system for fresh memory, and to write there.
  struct Run {
    std::uint64_t first = 0, step = 0;
    std::uint32_t count = 0;

    /// Whether the address goes on with it; then it does.
    bool takes(std::uint64_t address) {
      if (count == 1) step = address - first;
      if (address != first + count * step) return false;
      ++count;
      return true;
    }
  };
  /// The next access of a lane.
  struct Next {
    std::size_t run = 0;
    std::uint32_t number = 0;  // in its run
    std::uint64_t address = 0;
  };
  struct Place {
    std::array<std::vector<Run>, 32> runs;  // by lane
    std::vector<std::uint8_t> bytes;        // by request: of the access that came last
    bool touched = false;
    std::array<std::uint32_t, 32> times{};  // by lane
    // What measure() finds:
    std::uint32_t all = 0, kept = 0;  // requests
    std::uint32_t by_all = 0;         // that every lane takes part in that came at all
    std::uint32_t lanes = 0;          // those
    bool uneven = false;              // some of those came less often than others
    std::array<Next, 32> next;        // by lane
  };

  Place& of(std::size_t place) {
    if (place < places_.size() && places_[place].touched) return places_[place];
    return touch(place);
  }
  Place& touch(std::size_t place);
  static Place& measure(Place& log);
  /// The requests of a place are asked for in their order, each once.
  const Request& request(Place& log, std::uint32_t number);

  std::vector<Place> places_;
  std::vector<std::size_t> touched_;
  Request request_;
};

}  // namespace harness::cpu
