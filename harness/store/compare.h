#pragma once
#include "harness/core/history.h"
#include "harness/store/store.h"

namespace harness::store {

/// The object of `harness compare --json`. Of each side:
///   "environment"  [{"what","a","b"}]: facts of the two, also those that agree; null where one is not recorded
///   "workloads"    [{"kernel","workload","a_ns","b_ns","ratio","ratio_ci95","verdict",...}] that both have: ratio is
///                  b / a of the best times, so below 1 b is faster; its interval is that of the quotient of the two
///                  95 % intervals, hence at least 95 %; verdict: b is faster, slower or same. Null where a time is
///                  emulated and the other is not. "same_contract": false where what was computed, or how it was
///                  judged, has changed in between
///   "only_a", "only_b"  [{"kernel","workload"}]
///   "cost"         {"a": {"spent_s","cost_usd","iterations"}, "b": ...}
///   "cards"        {"a": [{"node","card","evaluations","over_anchor",...}], "b": ...}: what each card did and how its
///                  times stand beside the anchor's; "across_cards": candidates that were timed on several;
///                  "calibrations": of each card in their order. Empty for a campaign on one card
///   "score"        geometric mean of a / b over "workloads", so above 1 b is faster; null for none
///   "times" of a workload: measured, predicted or emulated. Of two predictions the verdict goes by their values
/// Unknown campaigns and devices: Error(bad_input).
json compare(Store& store, const ComparedSide& a, const ComparedSide& b);

/// What two words of `harness compare` mean: campaigns by number or name, "latest", or devices by name. Of one name
/// twice the last two campaigns of it. Throws Error(bad_input), with the nearest name, for an unknown one.
std::pair<ComparedSide, ComparedSide> compared_sides(Store& store, const std::string& a, const std::string& b);

}  // namespace harness::store
