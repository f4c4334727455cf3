#pragma once
#include <cstdint>
#include <functional>

#include "harness/simulate/score.h"

namespace harness::simulate {

/// One repeat: what the search found within the budget, and what it did on the way.
struct Repeat {
  std::uint64_t seed = 0;
  Trace trace;
  double spent_s = 0;  // by the record's clock
  std::size_t evaluations = 0;
  bool exhausted = false;  // the search had nothing left to ask before the budget was spent
};

/// Feeds a search the recorded outcomes until `budget_s` are spent or it has nothing left to ask. The first visit of a
/// configuration costs what was recorded, failures included; a search answers second visits itself, free.
///
/// `devices`: so many evaluations are under way at once, where the search takes several; each ends after its recorded
/// cost, and is told late. The budget and the trace count the seconds of all devices together, so that what several
/// find for the same work can be compared with what one does.
Repeat run_search(const RecordedSpace& space, Search& search, std::uint64_t seed, double budget_s, int devices = 1);

/// Repeats with the seeds first_seed, first_seed + 1, ..., `threads` at a time, in the order of their seeds. `make` is
/// called by one thread at a time.
std::vector<Repeat> run_repeats(const RecordedSpace& space,
                                const std::function<std::unique_ptr<Search>(std::uint64_t seed)>& make, int repeats,
                                std::uint64_t first_seed, double budget_s, int threads, int devices = 1);

}  // namespace harness::simulate
