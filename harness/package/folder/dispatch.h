#pragma once
#include <set>
#include <string>
#include <vector>

#include "harness/package/folder/measured.h"
#include "harness/package/launcher/launcher.h"

namespace harness::package {

/// A configuration that --max-code left out, and what that costs on each workload that it had won.
struct DispatchCut {
  Candidate candidate;
  struct Cost {
    std::string workload, instead;
    double from_ns = 0, to_ns = 0;
  };
  std::vector<Cost> costs;
};

struct Dispatch {
  std::vector<LauncherConfiguration> winners;  // not the original
  std::vector<DispatchRule> rules;             // `configuration` counts within `winners`
  /// The run behind each point: an index into its runs; -1: the original.
  std::vector<int> chosen;
  std::vector<DispatchCut> cuts;
  std::vector<std::string> cells_left_out;  // of a tuned table: why the original runs there, sentences
};

/// An ordered table from measured points. At each of them the fastest of what beats the original there; between two
/// that agree in all but one size (or in sizes that are equal to each other) and have the same winner, that winner too,
/// unless something else was measured between them. Where there is a tuned table, its cells come in the place of these
/// ranges: in a cell whose configuration won a measured point it runs, elsewhere the original. `most` > 0: no more
/// configurations than that; those are left out first that cost the least. `compiled_in`: sizes that no range may span.
Dispatch make_dispatch(const std::vector<MeasuredPoint>& points, std::size_t most,
                       const std::set<std::string>& compiled_in, const TunedTable& table = {});

}  // namespace harness::package
