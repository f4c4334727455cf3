#pragma once
#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/system/confinement.h"
#include "harness/system/resource_limits.h"

namespace harness {

/// How a child ended.
struct ChildEnd {
  bool signaled = false;
  int code = 0;           // exit status, or the signal's number
  bool lingered = false;  // it did not end by itself: wait() killed it
  /// One number for both, as in a shell: 128 + n after signal n.
  int status() const { return signaled ? 128 + code : code; }
};

struct ChildSetup {
  int output = -1;  // becomes its standard output and error; -1: those of this process
  ResourceLimits limits;
  const Confinement* confinement = nullptr;  // entered last; exits with kNotConfined where that fails
};

/// A forked child: the leader of a process group that is killed as a whole when the child has ended or this is
/// destroyed, so that nothing it started outlives it. It dies with this process too. It has an empty standard input,
/// ignores Ctrl-C, and every other descriptor closes when it calls exec.
class Child {
 public:
  /// The child does `body`, whose result is its exit status. Other threads of this process may hold any lock at the
  /// time of the fork: where there are some, `body` makes only async-signal-safe calls until exec. Throws
  /// environment_error if there is no process to be had.
  Child(const ChildSetup& setup, const std::function<int()>& body);
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  ~Child();

  pid_t id() const { return pid_; }
  /// SIGKILL to the group. Waits for nothing.
  void kill() const;
  /// Whether it ends by itself in this time; false at once when `stop` says so. Reaps nothing.
  bool ends_within(double seconds, const std::function<bool()>& stop = {}) const;
  /// Reaps it; kills it if it does not end in `patience_s`. One that is stuck in a driver is left behind after 10 s.
  ChildEnd wait(double patience_s = 5);

 private:
  pid_t pid_ = -1;
  std::optional<ChildEnd> end_;
};

/// A command line or an environment as exec wants it; points into `texts`. To be made before the fork.
std::vector<char*> exec_list(std::vector<std::string>& texts);

}  // namespace harness
