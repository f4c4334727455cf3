#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "harness/core/json.h"
#include "harness/store/store.h"

// What the commands of the CLI read: JSON arrays of rows, keys as the columns of the views in schema.sql, `config` as
// an object. All answer from the rollups or an index, so a million iterations do not make them slow.
namespace harness::store {

struct HistoryFilter {
  std::optional<std::int64_t> campaign;
  std::optional<std::string> kernel, outcome;
  std::int64_t limit = 20;
};

/// Rows of v_iterations, newest first.
json history(Store& store, const HistoryFilter& filter);

/// Rows of v_best.
json best(Store& store, const std::optional<std::string>& kernel = {}, const std::optional<std::string>& workload = {});

enum class CostBy { technique, stage, campaign, device };
/// Sums of v_costs, dearest first: the key ("technique" with "kernel", "stage", "campaign" with "name", or "device"),
/// "seconds" summed over processes, "usd" of the seconds whose price is known (null: none), "unpriced_s"; except by
/// stage also "iterations", "passed" and "best_speedup".
json cost(Store& store, CostBy by);

/// The iteration object of CLI.md in full; with "source" on request. Unknown: Error(bad_input).
json show(Store& store, std::int64_t iteration, bool with_source);

/// One row of v_decisions, with "table" (the numbers it chose from) and "now_unix". Unknown: Error(bad_input).
json decision(Store& store, std::int64_t id);
/// The decision that led to an iteration; null: none did.
json decision_of(Store& store, std::int64_t iteration);
/// Rows of v_calibration: how the predictions of a campaign held.
json calibration(Store& store, std::int64_t campaign);

/// One row a campaign, newest first: campaign, name, device, device_name, strategy, search, seed, budget_s, started,
/// ended, reason (null while it runs or after a kill), spent_s, cost_usd, iterations, passed.
json campaigns(Store& store);

}  // namespace harness::store
