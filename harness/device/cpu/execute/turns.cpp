#include "harness/device/cpu/execute/turns.h"

namespace harness::cpu {

void Turns::enter(int worker) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return holder_ == worker; });
}

void Turns::pass(int worker) {
  std::unique_lock lock(mutex_);
  hand_on(worker);
  changed_.wait(lock, [&] { return holder_ == worker; });
}

void Turns::leave(int worker) {
  const std::lock_guard lock(mutex_);
  active_[static_cast<std::size_t>(worker)] = false;
  hand_on(worker);
}

void Turns::hand_on(int worker) {
  const int count = static_cast<int>(active_.size());
  for (int step = 1; step <= count; ++step) {
    holder_ = (worker + step) % count;
    if (active_[static_cast<std::size_t>(holder_)]) break;
  }
  if (holder_ != worker) changed_.notify_all();
}

}  // namespace harness::cpu
