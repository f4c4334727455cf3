#pragma once

namespace harness {

/// What a Session may be besides: one whose device has a clock of its own.
class RunClock {
 public:
  virtual ~RunClock() = default;
  /// What the plan of the last run took, nanoseconds, transfers not counted. 0: it did not end.
  virtual double last_run_ns() const = 0;
};

}  // namespace harness
