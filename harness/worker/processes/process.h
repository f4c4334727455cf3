#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/system/child.h"
#include "harness/system/deadline.h"
#include "harness/system/descriptor.h"
#include "harness/worker/processes/channel.h"

namespace harness {

/// How often something is asked of a worker that is killed from outside before the environment is blamed for it.
constexpr int kWorkerTries = 3;

/// How a worker ended, when it was not asked to.
struct ProcessEnd {
  bool signaled = false;
  int code = 0;           // exit status, or the signal's number
  bool lingered = false;  // it closed its socket, did not end and was killed here
  std::string output;     // the last of what it wrote to stdout and stderr, at most 4 KB
};

/// The end of a process by one of these is somebody else's doing, or that of a machine without memory: no code of a
/// kernel sends them.
bool is_from_outside(const ProcessEnd& end);

/// How waiting for a worker's answer ended. `held`: the worker was stopped (SIGSTOP) and nobody let it go on.
enum class Answer { ok, closed, timed_out, held, interrupted };

/// A worker process: this program run again as `harness worker KIND`, in its own process group, with one socket as
/// descriptor 3, no standard input, its output captured, and an environment without secrets. Killed with its whole
/// group when destroyed. It also dies with its parent.
class Process {
 public:
  /// Throws Error(environment) if it cannot be started.
  static Process start(const std::vector<std::string>& arguments);
  /// Another program at `path` in the same way; `words` are its argv.
  static Process start_program(const std::string& path, std::vector<std::string> words);

  Channel& channel() { return channel_; }
  pid_t id() const { return child_.id(); }
  /// Waits for a message as long as `patience` says; `stop` is asked every 20 ms.
  Answer receive(Message& message, Patience patience, const std::function<bool()>& stop);
  void kill();        // SIGKILL to the group; returns when it is gone
  ProcessEnd wait();  // reaps; at most 5 s, then kills
  /// Whether it ends by itself in this time; false at once when `stop` says so. Reaps nothing.
  bool ends_within(double seconds, const std::function<bool()>& stop) const {
    return child_.ends_within(seconds, stop);
  }
  /// The path of the program that start() starts.
  static std::string program();
  /// The program to start, for tests that link the rooms into another executable.
  static void set_program(std::string path);

 private:
  Process(Child child, Channel channel, Descriptor output)
      : child_(std::move(child)), channel_(std::move(channel)), output_(std::move(output)) {}
  std::string captured() const;
  Child child_;
  Channel channel_;
  Descriptor output_;
  std::optional<ProcessEnd> end_;
};

}  // namespace harness
