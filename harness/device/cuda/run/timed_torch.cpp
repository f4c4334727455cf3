#include "harness/device/cuda/run/timed_torch.h"

#include <fmt/format.h>

namespace harness::cuda {

TimedTorch::TimedTorch(TorchCalls& calls, const Executable& executable, const ImageList& images, std::int64_t l2_bytes)
    : calls_(calls), held_(calls.hold(executable, images, l2_bytes)) {}

TimedTorch::~TimedTorch() {
  try {
    calls_.release();
  } catch (const std::exception&) {  // its process has ended, and with it its memory
  }
}

void TimedTorch::run_burst(double seconds, const ClockReader&) {
  for (const double ns : calls_.burst(held_, seconds)) samples_ns_.push_back(ns);
  ++bursts_;
}

std::vector<double> TimedTorch::time_cold(std::int64_t sample, const SingleCallTimer&) {
  if (held_.call_ns > kVerySlowNs || (held_.call_ns > kSlowNs && sample > 0)) return {};
  return calls_.cold(held_, 1);
}

std::vector<double> TimedTorch::time_warm() {
  if (held_.call_ns > kSlowNs) return {};
  return calls_.warm(held_, 3);
}

std::string TimedTorch::method(const SingleCallTimer*) const {
  return fmt::format("{}, {} burst{}", held_.method, bursts_, bursts_ == 1 ? "" : "s");
}

void TimedTorch::tell(Samples& samples) const {
  samples.input_sets = static_cast<int>(held_.sets);
}

}  // namespace harness::cuda
