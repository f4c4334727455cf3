#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

namespace harness::cpu {

/// Accesses of a lane that lie equally far apart, as those of a loop mostly do. Kept one by one, they would take more
/// time than all the rest.
struct Run {
  std::uint64_t first = 0, step = 0;
  std::uint64_t count = 0;
  std::uint32_t bytes = 0;  // of each

  std::uint64_t at(std::uint64_t number) const { return first + number * step; }
};

/// What the lanes of a warp did since they last converged. Lanes run one after another here, so the n-th access of one
/// lane at a place belongs to the n-th of the others there.
class WarpLog {
 public:
  /// At one place between two points of convergence so many requests are looked at; the rest count as those.
  static constexpr std::uint64_t kKept = 2048;
  static constexpr std::uint32_t kLanes = 32;

  /// What a lane did at a place.
  struct Lane {
    std::uint64_t next = 0;    // the address that goes on with the open run; 0: none is known to
    std::uint64_t step = 0;    // of the open run
    std::uint64_t open = 0;    // accesses of that
    std::uint64_t closed = 0;  // accesses before it
    std::uint64_t begin = 0;   // of the open run: its first address
    std::uint64_t origin = 0;  // what runs count their addresses from
    std::uint32_t bytes = 0;   // of its accesses
    std::vector<Run> runs;     // closed ones, as far as they are kept

    /// An access like the one before, and as far from it as that one from its own. False: nothing has happened.
    bool goes_on(std::uint64_t address) {
      if (address != next) return false;
      next += step;
      ++open;
      return true;
    }
    std::uint64_t times() const { return closed + open; }
    Run open_run() const { return {begin - origin, step, open, bytes}; }
    /// The open one follows the closed ones.
    Run run(std::size_t number) const { return number < runs.size() ? runs[number] : open_run(); }
  };
  struct PlaceLog {
    std::size_t number = 0;
    std::uint32_t seen = 0;  // lanes, a bit each, that came; 0: none
    std::array<Lane, kLanes> lanes;
  };

  /// The same object each time.
  PlaceLog& place(std::size_t number);
  /// An access of `bytes` at `address`, which is not 0; it is kept as `address` - `origin`. Gives what has come to its
  /// end and is beyond what is kept: only which memory that touched is of interest. count 0: nothing.
  Run note(PlaceLog& place, std::uint32_t lane, std::uint64_t address, std::uint64_t origin, std::uint32_t bytes);

  /// The places to which lanes came, in the order in which the first one did.
  const std::vector<PlaceLog*>& touched() const { return touched_; }
  /// Nothing has happened.
  void clear();

 private:
  std::deque<PlaceLog> places_;
  std::vector<PlaceLog*> touched_;
};

}  // namespace harness::cpu
