#pragma once
#include "harness/core/history.h"
#include "harness/store/store.h"

// The answers of the port History: JSON arrays of rows, keys as the columns of the views in schema.sql, `config` as
// an object. All answer from the rollups or an index, so a million iterations do not make them slow.
namespace harness::store {

/// Rows of v_iterations, newest first. Each filter's name must be known to the store: else Error(bad_input) with the
/// nearest one.
json history(Store& store, const HistoryFilter& filter);

/// Rows of v_best. A filter beyond kernel, workload and device asks for the best among those that fit, of whatever
/// campaign, imported ones included.
json best(Store& store, const HistoryFilter& filter = {.limit = -1});

/// Sums of v_costs, dearest first: the key ("technique" with "kernel", "stage", "campaign" with "name", or "device"),
/// "seconds" summed over processes, "usd" of the seconds whose price is known (null: none), "unpriced_s"; except by
/// stage also "iterations", "passed" and "best_speedup".
/// Filtered by more than campaign, kernel, technique and device, only evaluations are counted; --since counts days
/// where a campaign spent something outside its evaluations.
json cost(Store& store, CostBy by, const HistoryFilter& filter = {.limit = -1});

/// The views whose names begin with v_, in the order of schema.sql; each summary is the comment above it there.
std::vector<ViewDescription> views(Store& store);

/// Whether a campaign came from `harness import`.
bool imported(Store& store, std::int64_t campaign);

/// The iteration object of CLI.md in full; "imported" is true where it came from `harness import`; with "source" on
/// request. Unknown: Error(bad_input).
json show(Store& store, std::int64_t iteration, bool with_source);

/// One row of v_decisions, with "table" (the numbers it chose from) and "now_unix". Unknown: Error(bad_input).
json decision(Store& store, std::int64_t id);
/// The decision that led to an iteration; null: none did.
json decision_of(Store& store, std::int64_t iteration);

}  // namespace harness::store
