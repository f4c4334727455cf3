#include "harness/device/cpu/count/copy_waits.h"

#include <algorithm>
#include <utility>

namespace harness::cpu {

void CopyWaits::begin(std::size_t threads) {
  threads_.resize(threads);
  for (Clock& clock : threads_) {  // those of the block before keep their memory
    clock.time = 0;
    clock.open = false;
    if (!clock.groups.empty()) clock.groups.clear();
  }
  mbarriers_.clear();
}

void CopyWaits::arrive(int thread, const void* mbarrier) {
  Phase& phase = mbarriers_[mbarrier];
  phase.arrived = std::max(phase.arrived, time(thread));
}

void CopyWaits::copy(int thread, const void* mbarrier) {
  mbarriers_[mbarrier].copied = time(thread);
}

bool CopyWaits::pass(int thread, const void* mbarrier) {
  const Phase& phase = mbarriers_[mbarrier];
  Clock& self = threads_[static_cast<std::size_t>(thread)];
  const bool felt = pass(self, phase.copied);
  learn(thread, phase.arrived);
  return felt;
}

void CopyWaits::commit(int thread) {
  Clock& self = threads_[static_cast<std::size_t>(thread)];
  self.groups.push_back(std::exchange(self.open, false) ? self.time : kNone);
}

bool CopyWaits::wait(int thread, int groups) {
  if (groups < 0) commit(thread);
  Clock& self = threads_[static_cast<std::size_t>(thread)];
  std::int64_t copied = kNone;
  while (self.groups.size() > static_cast<std::size_t>(std::max(groups, 0))) {
    copied = std::max(copied, self.groups.front());
    self.groups.pop_front();
  }
  return pass(self, copied);
}

void CopyWaits::learn(int thread, std::int64_t time) {
  Clock& self = threads_[static_cast<std::size_t>(thread)];
  self.time = std::max(self.time, time);
}

bool CopyWaits::pass(Clock& self, std::int64_t copied) {
  if (copied == kNone) return false;
  const bool felt = copied >= self.time;
  self.time = std::max(self.time, copied) + 1;
  return felt;
}

}  // namespace harness::cpu
