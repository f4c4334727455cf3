#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/catalog.h"
#include "harness/core/json.h"

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

/// A cell of a tuned table (harness tune): where in a grid of sizes a configuration runs, by what was measured at
/// points of the grid. Sizes that `ranges` does not name are those of `at`.
struct TunedCell {
  struct Range {
    std::vector<std::string> sizes;  // that are equal
    std::int64_t lo = 0, hi = 0;
  };
  std::string device;  // its name
  Candidate candidate;
  Workload at;
  std::vector<Range> ranges;
};

/// What a package takes of such a table.
struct TunedTable {
  std::vector<TunedCell> cells;  // those that are not the original's
  std::size_t originals = 0;     // cells in which the original runs
  json origin;                   // grid, regrets and tools, as kernel.json states them; null: there is no table
};

}  // namespace harness::package
