#pragma once
#include <cstdint>
#include <vector>

#include "harness/core/device.h"
#include "harness/device/cuda/run/gpu_state.h"
#include "harness/device/cuda/run/single_call.h"

namespace harness::cuda {

/// One of those that are timed in turns: a plan of this process's, or PyTorch in another one.
class TimedContender {
 public:
  virtual ~TimedContender() = default;
  /// Samples for about `seconds`, each on sets with nothing of them in the L2.
  virtual void run_burst(double seconds, const ClockReader& clock) = 0;
  /// One call after a flush of the L2; nothing where it takes too long for that (`sample` counts them).
  virtual std::vector<double> time_cold(std::int64_t sample, const SingleCallTimer& timer) = 0;
  /// One input set again and again; empty where that cannot be.
  virtual std::vector<double> time_warm() = 0;
  /// Single calls, each on values that no call had before, which lie in the L2. Empty where that cannot be.
  virtual std::vector<double> time_single_warm(const SingleCallTimer& timer) = 0;

  virtual std::int64_t calls() const = 0;  // in a timed graph
  virtual const std::vector<double>& samples_ns() const = 0;
  virtual std::vector<double> clocks_mhz() const = 0;  // one for each sample; empty if the clock was unknown once
  /// In words. `timer`: null where there were no cold samples.
  virtual std::string method(const SingleCallTimer* timer) const = 0;
  /// What is known of calls that were looked at.
  virtual void tell(Samples& samples) const = 0;
  /// Waits. Throws DeviceFault if a call has changed a `__constant__` variable.
  virtual void check_constants() const {}
};

}  // namespace harness::cuda
