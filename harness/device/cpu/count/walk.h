#pragma once
#include <array>
#include <cstdint>

#include "harness/device/cpu/count/request.h"
#include "harness/device/cpu/count/warp_log.h"

namespace harness::cpu {

/// Requests of a warp at one place, one after another: every lane's address is `step` further each time. A loop makes
/// such, and what is to be known of the first one mostly holds for all.
struct Train {
  Request request;  // the first one
  std::uint64_t step = 0;
  std::uint64_t count = 0;

  /// The request moves on by so many.
  void move(std::uint64_t requests) {
    for (std::uint64_t& address : request.address) address += requests * step;
  }
};

/// Goes through the requests at a place that are kept, each once and in their order.
class Walk {
 public:
  /// The place outlives it and is left as it is.
  void begin(const WarpLog::PlaceLog& place);
  /// False: there are no more.
  bool next(Train& train);

  /// How many there are, and how many of them are kept.
  std::uint64_t all() const { return all_; }
  std::uint64_t kept() const { return kept_; }
  /// Some lanes that came at all came less often than others.
  bool uneven() const { return uneven_; }

 private:
  void open(std::size_t lane);
  std::uint32_t lanes_now() const;
  std::uint64_t alike(std::uint32_t lanes, std::uint64_t step) const;
  void advance(std::uint32_t lanes, std::uint64_t requests);

  const WarpLog::PlaceLog* place_ = nullptr;
  std::uint64_t number_ = 0, all_ = 0, kept_ = 0;
  std::uint64_t by_all_ = 0;  // in so many every lane takes part that came at all
  bool uneven_ = false;
  // By lane, of the run in which it is: the next address, what is left, and which run.
  std::array<std::uint64_t, WarpLog::kLanes> address_, step_, left_;
  std::array<std::uint32_t, WarpLog::kLanes> bytes_, run_;
};

}  // namespace harness::cpu
