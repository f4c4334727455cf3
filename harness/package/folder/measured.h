#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/catalog.h"

namespace harness::package {

/// An iteration of the record that passed on a workload.
struct MeasuredRun {
  std::int64_t iteration = 0, campaign = 0;
  Candidate candidate;
  double time_ns = 0;
  std::optional<double> baseline_ns, speedup_lo;  // lower end of the 95 % interval over the original
  bool confirmed = false;

  /// Its whole interval lies before the original.
  bool beats_original() const { return baseline_ns && (speedup_lo ? *speedup_lo > 1 : time_ns < *baseline_ns); }
};

/// A workload that was measured on a device.
struct MeasuredPoint {
  std::string device;  // its name: "NVIDIA H200"
  Workload workload;
  std::vector<MeasuredRun> runs;  // no rivals, and not the original as it is
  double original_ns = 0;
};

}  // namespace harness::package
