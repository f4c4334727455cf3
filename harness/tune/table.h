#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/core/catalog.h"
#include "harness/core/json.h"
#include "harness/tune/grid.h"

namespace harness::tune {

/// What an entry was measured with. When one of them changes, its time may have, too.
struct Tools {
  std::string driver, compiler, program, contract, source;
};

/// A cell of the grid and what runs in it.
struct Entry {
  Point at;
  std::string shape;  // the workload's name
  Cell cell;
  Candidate candidate;
  bool original = false;              // the kernel's baseline, which nothing known beats here
  std::optional<double> time_ns;      // absent: expected, not measured
  std::optional<double> original_ns;  // of the baseline, there
  double expected_regret = 0;         // by the model, when the table was made
  double evaluate_s = 0;              // that measuring it took
  bool proved = false;                // by all gates of a finalist, there
  Tools tools;
};

/// What the table lost at points that were measured for this alone.
struct HeldOut {
  std::string shape;
  Candidate candidate;  // of the table
  Candidate fastest;    // of the candidates
  double time_ns = 0, fastest_ns = 0;
  double regret() const { return time_ns / fastest_ns - 1; }
};

/// What `harness tune` ends with: a file, and the record of its campaign.
struct Table {
  std::string kernel, device, device_name, grid, others, times;  // `others`: the sizes that the grid does not name
  std::int64_t campaign = 0;
  std::size_t candidates = 0, measured = 0;  // configurations that were compared, and their times
  std::vector<Entry> entries;
  std::vector<HeldOut> held_out;
  std::vector<std::string> refused;  // cells without an entry, sentences

  double expected_regret() const;  // the mean over the cells
  std::optional<double> measured_regret() const;
  std::optional<double> largest_regret() const;
};

json table_json(const Table& table);
/// Throws Error(bad_input) for what is no such table; `file` is how messages call it.
Table read_table(const json& text, const std::string& file);

/// What of an entry's tools is another now, "driver 570.1 is 580.2 now"; empty: it stands.
std::vector<std::string> changes(const Tools& then, const Tools& now);

}  // namespace harness::tune
