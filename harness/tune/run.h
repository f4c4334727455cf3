#pragma once
#include <functional>
#include <optional>
#include <string>

#include "harness/core/display.h"
#include "harness/service/arguments.h"
#include "harness/service/shell.h"
#include "harness/tune/table.h"

// A grid of shapes, measured where it is least sure what wins.
namespace harness::tune {

struct TuneAsked {
  std::string kernel, grid;
  std::string others;  // a shape: the sizes that the grid does not name; "": as in the kernel's first workload
  std::string device = "auto";
  AskedTimes times;
  std::optional<double> usd_per_hour;
  double budget_s = 600;
  double regret = 0.01;  // cells that are expected to lose less are left
  std::uint64_t seed = 1;
};

struct TuneWatch {
  std::function<void(const std::string& task)> begun;  // what is measured now, and why
  std::function<void(const std::string& line)> told;   // something that a person wants to keep
};

/// Searches at a few corners of the grid by a campaign, then measures what it found, and the baseline, where most is
/// expected to be lost by not knowing better; then at points beside the grid, which say what the table loses. All is
/// recorded. Throws Error(bad_input) for a grid outside of the kernel's domain.
Table tune_grid(const TuneAsked& asked, Shell& shell, const TuneWatch& watch);

/// An entry that something has changed for since it was measured.
struct Stale {
  std::size_t entry = 0;
  std::vector<std::string> why;
};
/// The cheapest to measure first. Throws Error as choose_device does.
std::vector<Stale> stale_entries(const Table& table, Shell& shell);

/// Measures stale entries again beside the baseline, the cheapest first, until the budget is spent. Where the baseline
/// is faster now it takes the entry's place. Returns how many were measured.
std::size_t refresh(Table& table, double budget_s, Shell& shell, const TuneWatch& watch);

}  // namespace harness::tune
