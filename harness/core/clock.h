#pragma once
#include <chrono>
#include <cstdint>

namespace harness {

/// Port to time, so that a campaign can be tested with none passing.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual double seconds() = 0;             // monotonic
  virtual std::int64_t unix_seconds() = 0;  // wall clock
};

class SystemClock : public Clock {
 public:
  double seconds() override {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  std::int64_t unix_seconds() override {
    return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
};

}  // namespace harness
