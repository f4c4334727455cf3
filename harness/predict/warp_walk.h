#pragma once
#include <array>
#include <cstdint>
#include <deque>

#include "harness/predict/warp_instruction.h"

namespace harness {

/// One warp that is alone on a multiprocessor walks through instructions: when each is issued. Of loads of global
/// memory nobody knows here how long they take: how often the warp waits for some is counted instead.
class WarpWalk {
 public:
  void issue(const WarpInstruction& instruction);
  /// Behind a branch backwards the warp waits for what was under way.
  void go_back();

  std::int64_t cycles() const { return now_; }
  std::int64_t waits() const { return waits_; }

 private:
  struct Scoreboard {
    std::int64_t ready = 0;
    bool loads = false;  // is held by a load of global memory
  };

  void wait_for_loads();

  std::int64_t now_ = 0, waits_ = 0;
  std::array<Scoreboard, 6> scoreboards_;
  std::array<std::int64_t, kInstructionClasses> free_{};  // when each unit has done what it was given
  std::deque<std::int64_t> groups_;                       // of HGMMA: when the results of those under way come
};

}  // namespace harness
