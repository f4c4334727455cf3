#pragma once
#include <string>
#include <vector>

#include "harness/device/cuda/run/timed_contender.h"
#include "harness/device/port/torch_calls.h"

namespace harness::cuda {

/// PyTorch's calls among the contenders: the same bursts in the same turns, in a process of their own, while this one
/// uses the device for nothing. What they left is judged by a launch after the timing, not by secretly chosen calls.
class TimedTorch : public TimedContender {
 public:
  /// `executable` and `calls` must outlive it.
  TimedTorch(TorchCalls& calls, const Executable& executable, const ImageList& images, std::int64_t l2_bytes);
  ~TimedTorch() override;

  void run_burst(double seconds, const ClockReader& clock) override;
  std::vector<double> time_cold(std::int64_t sample, const SingleCallTimer& timer) override;
  std::vector<double> time_warm() override;
  std::vector<double> time_single_warm(const SingleCallTimer&) override { return {}; }
  std::int64_t calls() const override { return held_.calls; }
  const std::vector<double>& samples_ns() const override { return samples_ns_; }
  std::vector<double> clocks_mhz() const override { return {}; }
  std::string method(const SingleCallTimer*) const override;
  void tell(Samples& samples) const override;

 private:
  static constexpr double kSlowNs = 1e8, kVerySlowNs = 5e8;
  TorchCalls& calls_;
  TorchCalls::Held held_;
  int bursts_ = 0;
  std::vector<double> samples_ns_;
};

}  // namespace harness::cuda
