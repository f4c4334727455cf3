#pragma once
#include <algorithm>
#include <optional>

#include "harness/core/device.h"

namespace harness {

/// Deadlines and timing effort of evaluations on a device, seconds.
struct Limits {
  double run_s = 10;     // one launch of the plan, upload and download included
  double slack_s = 1;    // what a launch may take beside the kernel itself
  double multiple = 30;  // adaptive deadline: this many times the best known time
  // For what may be screened: only which of two is faster is asked. While searching, and for finalists.
  TimingPolicy screen, search, confirm;
};

/// The deadline of one run: a multiple of the best known time plus slack, never more than the limit.
inline double run_deadline(const Limits& limits, std::optional<double> best_ns) {
  if (!best_ns) return limits.run_s;
  return std::min(limits.run_s, limits.slack_s + limits.multiple * *best_ns * 1e-9);
}

/// The best known time of a launch, as far as it says how long one takes here: a predicted time is a GPU's, and the
/// launch that is waited for is emulated.
inline std::optional<double> time_to_wait_for(const DeviceInfo& device, std::optional<double> best_ns) {
  return device.predicts.empty() ? best_ns : std::nullopt;
}

Limits default_limits(const DeviceInfo& device);

/// Images whose drawing and judging is felt (bench/judge_bench.cpp): only some forms of the inputs are tried on them,
/// the same ones when a kernel is admitted and when a finalist is judged.
inline bool is_large(const ImageLayout& layout) {
  return layout.bytes > 24 << 20;
}
inline bool is_tried_at_large_sizes(const std::string& form) {
  return form == "nominal" || form == "few spikes" || form == "shifted";
}

}  // namespace harness
