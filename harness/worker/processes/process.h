#pragma once
#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/worker/processes/channel.h"

namespace harness {

/// How often something is asked of a worker that is killed from outside before the environment is blamed for it.
constexpr int kWorkerTries = 3;

/// How a worker ended, when it was not asked to.
struct ProcessEnd {
  bool signaled = false;
  int code = 0;        // exit status, or the signal's number
  std::string output;  // the last of what it wrote to stdout and stderr, at most 4 KB
};

/// A worker process: this program run again as `harness worker KIND`, in its own process group, with one socket as
/// descriptor 3, no standard input, its output captured, and an environment without secrets. Killed with its whole
/// group when destroyed. It also dies with its parent.
class Process {
 public:
  /// Throws Error(environment) if it cannot be started.
  static Process start(const std::vector<std::string>& arguments);
  /// Another program at `path` in the same way; `words` are its argv.
  static Process start_program(const std::string& path, std::vector<std::string> words);
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  ~Process();

  Channel& channel() { return channel_; }
  pid_t id() const { return pid_; }
  void kill();        // SIGKILL to the group; returns when it is gone
  ProcessEnd wait();  // reaps; at most 5 s, then kills
  /// Whether it ends by itself in this time; false at once when `stop` says so. Reaps nothing.
  bool ends_within(double seconds, const std::function<bool()>& stop) const;
  /// The path of the program that start() starts.
  static std::string program();
  /// The program to start, for tests that link the rooms into another executable.
  static void set_program(std::string path);

 private:
  Process(pid_t pid, Channel channel, int output) : pid_(pid), channel_(std::move(channel)), output_(output) {}
  std::string captured() const;
  pid_t pid_ = -1;
  Channel channel_;
  int output_ = -1;
  std::optional<ProcessEnd> end_;
};

}  // namespace harness
