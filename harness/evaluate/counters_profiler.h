#pragma once
#include <functional>

#include "harness/core/profiler.h"
#include "harness/evaluate/worker_pool.h"

namespace harness {

/// Profiles by a device's own counters, with the workers of an evaluation: built as the candidate is, painted by the
/// judge, and run by a process of its own while nothing else has the device.
class CountersProfiler : public Profiler {
 public:
  /// `peaks`: what the device was measured to reach so far; asked each time.
  CountersProfiler(WorkerPool& workers, const MeasuredPeaks& peaks) : workers_(workers), peaks_(peaks) {}
  std::optional<Profile> profile(const Realized& realized, const ProfileRequest& request) override;

 private:
  Profile count(const Realized& realized, const ProfileRequest& request);

  WorkerPool& workers_;
  const MeasuredPeaks& peaks_;
};

/// What the workload and the device say beside the counters: the floor, the least bytes, launches, multiprocessors.
void add_limits(const Realized& realized, const DeviceInfo& device, const MeasuredPeaks& peaks, Profile& profile);

}  // namespace harness
