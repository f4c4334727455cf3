#pragma once
#include <condition_variable>
#include <mutex>
#include <vector>

namespace harness::cpu {

/// Lets one host thread at a time run blocks and hands the turn round in a fixed order, so that a checked run is the
/// same every time and its shadow memory needs no locks. A thread gives its turn away when its block spins.
class Turns {
 public:
  explicit Turns(int workers) : active_(static_cast<std::size_t>(workers), true) {}

  /// Waits for the first turn of `worker`, which must call `leave` in the end.
  void enter(int worker);
  /// Everybody else has a turn before this returns.
  void pass(int worker);
  void leave(int worker);

 private:
  void hand_on(int worker);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<bool> active_;
  int holder_ = 0;
};

/// What one host thread does in its turns; with no `turns` it need not wait for any.
class Turn {
 public:
  Turn(Turns* turns, int worker) : turns_(turns), worker_(worker) {
    if (turns_) turns_->enter(worker_);
  }
  ~Turn() {
    if (turns_) turns_->leave(worker_);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Turns* turns_;
  int worker_;
};

}  // namespace harness::cpu
