#include "harness/system/deadline.h"

#include <algorithm>

#include "harness/system/awake_clock.h"

namespace harness {
namespace {

constexpr double kFirstLook = 0.25, kBetweenLooks = 1, kShortestPause = 0.02;
constexpr double kHeldTooLong = 10;

/// The thread that has run the longest since `before`.
ProcessTree::Thread busiest_since(const ProcessTree& before, const ProcessTree& now) {
  ProcessTree::Thread busiest;
  for (const auto& [number, thread] : now.threads) {
    const auto known = before.threads.find(number);
    ProcessTree::Thread since = thread;
    if (known != before.threads.end()) {
      since.ran_s -= known->second.ran_s;
      since.waited_s -= known->second.waited_s;
    }
    if (since.ran_s + since.waited_s > busiest.ran_s + busiest.waited_s) busiest = since;
  }
  return busiest;
}

}  // namespace

Deadline::Deadline(pid_t worker, Patience patience)
    : worker_(worker),
      patience_(patience),
      begin_(awake_seconds()),
      next_look_(begin_ + std::min(kFirstLook, patience.seconds / 4)),
      last_look_(begin_) {}

Deadline::State Deadline::look() {
  const double now = awake_seconds();
  if (now < next_look_) return State::running;
  const ProcessTree tree = look_at_tree(worker_);
  if (!first_) first_ = tree, first_look_ = now;
  const State state = judge(tree, now);
  last_look_ = now;
  return state;
}

// A thread cannot have run longer than time has passed, so that the next look may wait for what is left.
Deadline::State Deadline::judge(const ProcessTree& tree, double now) {
  if (tree.stopped) {
    held_s_ += now - last_look_;
    held_in_all_s_ += now - last_look_;
    next_look_ = now + std::min(kBetweenLooks, kFirstLook);
    return held_s_ > kHeldTooLong ? State::stopped : State::running;
  }
  held_s_ = 0;
  const double passed = now - begin_ - held_in_all_s_;
  double used = passed, asleep = 0;
  if (patience_.of_core_time) {
    const ProcessTree::Thread busiest = busiest_since(*first_, tree);
    used = busiest.ran_s;
    const double since = now - first_look_ - held_in_all_s_;
    asleep = std::max(0.0, since - busiest.waited_s) / patience_.asleep_factor;
  }
  const double most = std::max(used, asleep);
  if (most >= patience_.seconds) return State::passed;
  next_look_ = now + std::clamp(patience_.seconds - most, kShortestPause, kBetweenLooks);
  return State::running;
}

}  // namespace harness
