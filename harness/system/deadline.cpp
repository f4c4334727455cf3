#include "harness/system/deadline.h"

#include <algorithm>

#include "harness/system/awake_clock.h"

namespace harness {
namespace {

constexpr double kFirstLook = 0.25, kBetweenLooks = 1, kShortestPause = 0.02;
constexpr double kHeldTooLong = 10;
constexpr double kStartingFor = 2;   // seconds after a process was first seen
constexpr double kMostExcused = 10;  // times as long as a sleeper has; nothing waits in the kernel for ever

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

// Work goes from thread to thread and from process to process: on a busy machine each waits for its core in turn, and
// the others sleep meanwhile. What a process waited that came and went between two looks is not known; that others come
// is. Every start and end of a process takes the kernel's locks of the files that all of them map (libc, this program).
// Where a process that holds one waits for a core, the others wait for seconds inside the kernel. Native candidates
// make no system calls: that is never their doing.
double Deadline::awake_s(const ProcessTree& tree, double now) {
  bool fresh = false;
  for (const auto& [number, thread] : tree.threads) {
    const auto before = first_->threads.find(number);
    fresh = fresh || (before == first_->threads.end() && !waited_s_.contains(number));
    waited_s_[number] = thread.waited_s - (before == first_->threads.end() ? 0 : before->second.waited_s);
  }
  if (fresh) last_start_ = now;
  if (tree.blocked || now - last_start_ <= kStartingFor) excused_s_ += now - std::max(last_look_, first_look_);
  double awake = std::min(excused_s_, kMostExcused * patience_.asleep_factor * patience_.seconds);
  for (const auto& [number, waited] : waited_s_) awake += waited;
  return awake;
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
    asleep = std::max(0.0, since - awake_s(tree, now)) / patience_.asleep_factor;
  }
  const double most = std::max(used, asleep);
  if (most >= patience_.seconds) return State::passed;
  next_look_ = now + std::clamp(patience_.seconds - most, kShortestPause, kBetweenLooks);
  return State::running;
}

}  // namespace harness
