#pragma once
#include <functional>
#include <optional>

#include "harness/evaluate/counting_workers.h"

namespace harness {

struct CountingProfilerOptions {
  const DeviceKind* kind = nullptr;  // outlives the profiler
  Target target;
  DeviceInfo device;
  FindOfflineCompiler find_compiler;
  std::function<bool()> stop;
};

/// Profiles by counting, in workers of its own.
class CountingProfiler : public Profiler {
 public:
  explicit CountingProfiler(CountingProfilerOptions options);
  std::optional<Profile> profile(const Realized& realized, const ProfileRequest& request) override;

 private:
  CountingProfilerOptions options_;
  Builders builders_;
  JudgeProcess judge_;
  Runner runner_;
  WorkerPool workers_;
  Counting counting_;
};

}  // namespace harness
