#include "harness/predict/warp_walk.h"

#include <algorithm>
#include <cassert>

namespace harness {
namespace {

/// Cycles until a result has come that the compiler holds a scoreboard for. Micro-benchmarks of A100 and H100 find 23
/// to 33 for shared memory and shuffles, 18 to 40 for the special functions, 30 beyond the last HGMMA (Abdelkhalik et
/// al., arXiv:2208.11174; Luo et al., arXiv:2402.13499).
int latency(InstructionClass kind) {
  switch (kind) {
    case InstructionClass::shared:
    case InstructionClass::exchange:
    case InstructionClass::tensor:
      return 30;
    case InstructionClass::special:
      return 24;
    default:
      return 20;
  }
}

}  // namespace

void WarpWalk::issue(const WarpInstruction& instruction) {
  for (std::size_t i = 0; i < scoreboards_.size(); ++i) {
    if ((instruction.waits_for >> i & 1) == 0) continue;
    if (scoreboards_[i].loads) wait_for_loads();
    now_ = std::max(now_, scoreboards_[i].ready);
  }
  if (instruction.groups_left)
    while (groups_.size() > static_cast<std::size_t>(*instruction.groups_left)) {
      now_ = std::max(now_, groups_.front());
      groups_.pop_front();
    }
  assert(instruction.busy >= 0 && instruction.cycles >= 1);
  std::int64_t& free = free_[static_cast<std::size_t>(instruction.kind)];
  const std::int64_t begins = std::max(now_, free);
  if (!instruction.asynchronous) now_ = begins;
  free = begins + instruction.busy;
  if (instruction.ends_group) groups_.push_back(free + latency(instruction.kind));
  if (instruction.holds && static_cast<std::size_t>(*instruction.holds) < scoreboards_.size()) {
    Scoreboard& held = scoreboards_[static_cast<std::size_t>(*instruction.holds)];
    held.loads = held.loads || instruction.loads;
    if (!instruction.loads) held.ready = std::max(held.ready, begins + latency(instruction.kind));
  }
  now_ += instruction.cycles;
}

void WarpWalk::go_back() {
  for (const Scoreboard& scoreboard : scoreboards_)
    if (scoreboard.loads) return wait_for_loads();
}

void WarpWalk::wait_for_loads() {
  ++waits_;
  for (Scoreboard& scoreboard : scoreboards_) scoreboard.loads = false;
}

}  // namespace harness
