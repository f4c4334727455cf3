#pragma once
#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>

#include "harness/system/process_tree.h"

namespace harness {

/// How long another process may take, so that a busy machine is nobody's fault.
struct Patience {
  double seconds = 0;
  /// True: of the core time of its busiest thread, or that of what it started. One that sleeps instead has
  /// `asleep_factor` times as long; while any of them waits for a core that others have or for the kernel, or a process
  /// has just been started, nothing sleeps. False: of time that passes.
  bool of_core_time = true;
  double asleep_factor = 10;
};

/// Watches over one piece of work of a process. Time in which the process is stopped (SIGSTOP) does not count; time in
/// which this one is does not either. Costs nothing while the work is short.
class Deadline {
 public:
  enum class State { running, passed, stopped };

  Deadline(pid_t worker, Patience patience);
  /// To be asked often. `stopped`: somebody has held it for ten seconds; it is not to blame.
  State look();

 private:
  State judge(const ProcessTree& tree, double now);
  double awake_s(const ProcessTree& tree, double now);

  pid_t worker_;
  Patience patience_;
  double begin_, next_look_, last_look_, first_look_ = 0, held_s_ = 0, held_in_all_s_ = 0;
  std::optional<ProcessTree> first_;  // as it was a moment after the begin: what ran before is not of this work
  std::map<long, double> waited_s_;   // of every thread that was ever seen, since the first look
  double excused_s_ = 0;              // while the kernel held a thread, and shortly after a process was first seen
  double last_start_ = -1e9;          // when the last one was
};

/// Asks `wait` for slices of time until it says that the work is done. False: the deadline has passed, or somebody
/// holds the process.
template <typename Wait>
bool ends_in_time(Deadline& deadline, Wait&& wait) {
  constexpr std::chrono::milliseconds kSlice{20};
  while (!wait(kSlice))
    if (deadline.look() != Deadline::State::running) return false;
  return true;
}

}  // namespace harness
