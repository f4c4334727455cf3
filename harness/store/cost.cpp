#include <fmt/format.h>

#include "harness/store/condition.h"
#include "harness/store/history.h"

// Where time and money went. What campaign, kernel, technique and device can say is summed up already; any other filter
// adds up the evaluations that fit.
namespace harness::store {
namespace {

// An arm's counts and a stage's seconds are summed apart, then joined by the key.
constexpr const char* kCostByTechnique = R"sql(
  WITH spent AS (SELECT kernel, technique, sum(seconds) AS seconds, sum(usd) AS usd, sum(unpriced_s) AS unpriced_s
                 FROM rollup_device_cost GROUP BY kernel, technique),
       done AS (SELECT kernel, technique, sum(iterations) AS iterations, sum(passed) AS passed,
                       max(best_speedup) AS best_speedup FROM rollup_device_technique GROUP BY kernel, technique)
  SELECT nullif(spent.technique, '') AS technique, nullif(spent.kernel, '') AS kernel, iterations, passed, best_speedup,
         seconds, usd, unpriced_s
  FROM spent LEFT JOIN done USING (kernel, technique))sql";

constexpr const char* kCostByStage = R"sql(
  SELECT stage, sum(seconds) AS seconds, sum(usd) AS usd, sum(unpriced_s) AS unpriced_s
  FROM rollup_device_cost GROUP BY stage)sql";

constexpr const char* kCostByCampaign = R"sql(
  WITH spent AS (SELECT campaign, sum(seconds) AS seconds, sum(usd) AS usd, sum(unpriced_s) AS unpriced_s
                 FROM rollup_cost GROUP BY campaign),
       done AS (SELECT campaign, sum(iterations) AS iterations, sum(passed) AS passed, max(best_speedup) AS best_speedup
                FROM rollup_arm GROUP BY campaign)
  SELECT p.id AS campaign, p.name, p.device, p.device_name, iterations, passed, best_speedup, seconds, usd, unpriced_s
  FROM spent JOIN campaign p ON p.id = spent.campaign LEFT JOIN done ON done.campaign = p.id)sql";

constexpr const char* kCostByDevice = R"sql(
  WITH spent AS (SELECT device_name, sum(seconds) AS seconds, sum(usd) AS usd, sum(unpriced_s) AS unpriced_s
                 FROM rollup_device_cost GROUP BY device_name),
       done AS (SELECT device_name, sum(iterations) AS iterations, sum(passed) AS passed, max(best_speedup) AS best_speedup
                FROM rollup_device_technique GROUP BY device_name)
  SELECT spent.device_name AS device, iterations, passed, best_speedup, seconds, usd, unpriced_s
  FROM spent LEFT JOIN done USING (device_name))sql";

const char* cost_sql(CostBy by) {
  switch (by) {
    case CostBy::technique:
      return kCostByTechnique;
    case CostBy::stage:
      return kCostByStage;
    case CostBy::campaign:
      return kCostByCampaign;
    case CostBy::device:
      break;
  }
  return kCostByDevice;
}

// Of the sums by campaign, with a condition on them.
constexpr const char* kSummed = R"sql(
  spent_rows AS (SELECT r.campaign, r.kernel, r.technique, r.stage, r.seconds, r.usd, r.unpriced_s
                 FROM rollup_cost r JOIN campaign p ON p.id = r.campaign WHERE {}),
  done_rows AS (SELECT r.campaign, r.kernel, r.technique, r.iterations, r.passed, r.best_speedup
                FROM rollup_arm r JOIN campaign p ON p.id = r.campaign WHERE {}))sql";

// Of each evaluation that fits: its money by the shares of its stages, as the trigger iteration_costs has it.
constexpr const char* kAddedUp = R"sql(
  fitting AS (SELECT i.*, c.technique AS its_technique FROM iteration i JOIN candidate c ON c.id = i.candidate
              JOIN campaign p ON p.id = i.campaign WHERE {0}),
  parts AS (SELECT id, campaign, kernel, its_technique, usd, 'decide' AS stage, decide_s AS seconds FROM fitting
            UNION ALL SELECT id, campaign, kernel, its_technique, usd, 'prepare', prepare_s FROM fitting
            UNION ALL SELECT id, campaign, kernel, its_technique, usd, 'build', build_s FROM fitting
            UNION ALL SELECT id, campaign, kernel, its_technique, usd, 'gates', gates_s FROM fitting
            UNION ALL SELECT id, campaign, kernel, its_technique, usd, 'timing', timing_s FROM fitting
            UNION ALL SELECT id, campaign, kernel, its_technique, usd, 'idle', idle_s FROM fitting
            UNION ALL SELECT id, campaign, kernel, its_technique, usd, 'other',
                      max(0, wall_s - (decide_s + prepare_s + build_s + gates_s + timing_s + idle_s)) FROM fitting),
  shared AS (SELECT *, sum(seconds) OVER (PARTITION BY id) AS total FROM parts),
  spent_rows AS (SELECT campaign, kernel, its_technique AS technique, stage, seconds,
                        usd * iif(total > 0, seconds / total, stage = 'other') AS usd,
                        iif(usd IS NULL, seconds, 0) AS unpriced_s FROM shared
                 UNION ALL SELECT r.campaign, '', '', r.stage, r.seconds, r.usd, r.unpriced_s
                 FROM rollup_cost r JOIN campaign p ON p.id = r.campaign WHERE r.kernel = '' AND {1}),
  done_rows AS (SELECT campaign, kernel, its_technique AS technique, 1 AS iterations, outcome = 'passed' AS passed,
                       iif(outcome = 'passed', speedup, NULL) AS best_speedup FROM fitting))sql";

/// What the rows are grouped by, and how they are shown.
struct Grouping {
  const char* key;      // of the sums
  const char* columns;  // of the answer
  const char* joins;
  bool counts;  // whether the evaluations are counted as well
};

Grouping grouping(CostBy by) {
  switch (by) {
    case CostBy::technique:
      return {"technique, kernel", "nullif(spent.technique, '') AS technique, nullif(spent.kernel, '') AS kernel", "",
              true};
    case CostBy::stage:
      return {"stage", "stage", "", false};
    case CostBy::campaign:
      return {"campaign", "p.id AS campaign, p.name, p.device, p.device_name",
              "JOIN campaign p ON p.id = spent.campaign", true};
    case CostBy::device:
      break;
  }
  return {"device_name", "spent.device_name AS device", "", true};
}

std::string filtered_sql(CostBy by, const std::string& rows) {
  const Grouping group = grouping(by);
  const std::string named = by == CostBy::device ? " JOIN campaign p ON p.id = campaign" : "";
  std::string sql = fmt::format(
      "WITH {}, spent AS (SELECT {}, sum(seconds) AS seconds, sum(usd) AS usd, sum(unpriced_s) AS unpriced_s "
      "FROM spent_rows{} GROUP BY {}) ",
      rows, group.key, named, group.key);
  if (!group.counts)
    return sql + fmt::format("SELECT {}, seconds, usd, unpriced_s FROM spent WHERE seconds > 0", group.columns);
  sql.pop_back();
  return sql + fmt::format(
                   ", done AS (SELECT {}, sum(iterations) AS iterations, sum(passed) AS passed, "
                   "max(best_speedup) AS best_speedup FROM done_rows{} GROUP BY {}) "
                   "SELECT {}, iterations, passed, best_speedup, seconds, usd, unpriced_s FROM spent {} "
                   "LEFT JOIN done USING ({})",
                   group.key, named, group.key, group.columns, group.joins, group.key);
}

/// What the rows may be sorted by: their keys.
std::vector<std::string> cost_keys(CostBy by) {
  std::vector<std::string> keys = by == CostBy::technique ? std::vector<std::string>{"technique", "kernel"}
                                  : by == CostBy::stage   ? std::vector<std::string>{"stage"}
                                  : by == CostBy::campaign
                                      ? std::vector<std::string>{"campaign", "name", "device", "device_name"}
                                      : std::vector<std::string>{"device"};
  if (by != CostBy::stage) keys.insert(keys.end(), {"iterations", "passed", "best_speedup"});
  keys.insert(keys.end(), {"seconds", "usd", "unpriced_s"});
  return keys;
}

bool asks_evaluations(const HistoryFilter& filter) {
  return filter.workload || filter.variant || filter.outcome || filter.verdict || filter.since_unix;
}

bool is_filtered(const HistoryFilter& filter) {
  return filter.campaign || filter.kernel || filter.technique || filter.device || asks_evaluations(filter);
}

/// The rows of `sql` in the order that was asked for, and as many.
std::string ordered(CostBy by, const std::string& sql, const HistoryFilter& filter) {
  return fmt::format("SELECT * FROM ({}) {} LIMIT ?", sql, order_of(filter, cost_keys(by), "seconds DESC, 1"));
}

json filtered_cost(Store& store, CostBy by, const HistoryFilter& filter) {
  const FilterColumns sums{"r.campaign", "r.kernel", "", "", "r.technique", "p.device", "p.device_name", "", "", ""};
  Condition first = condition_of(filter, sums), second = first;
  std::string rows;
  if (asks_evaluations(filter)) {
    first = condition_of(filter, {"i.campaign", "i.kernel", "i.workload", "c.variant", "c.technique", "p.device",
                                  "p.device_name", "i.outcome", "i.verdict", "i.ended_unix"});
    // A campaign's seconds outside its evaluations belong to no workload, variant or outcome.
    if (filter.workload || filter.variant || filter.outcome || filter.verdict) second.sql += " AND 0";
    if (filter.since_unix) second.add("r.day >= date(?, 'unixepoch')", *filter.since_unix);
    rows = fmt::format(fmt::runtime(kAddedUp), first.sql, second.sql);
  } else {
    rows = fmt::format(fmt::runtime(kSummed), first.sql, second.sql);
  }
  const std::string sql = ordered(by, filtered_sql(by, rows), filter);
  Statement query(store.connection(), sql.c_str());
  query.bind(second.bind(query, first.bind(query)), filter.limit);
  return all_rows(query);
}

}  // namespace

json cost(Store& store, CostBy by, const HistoryFilter& filter) {
  check_names(store, filter);
  if (is_filtered(filter)) return filtered_cost(store, by, filter);
  const std::string sql = ordered(by, cost_sql(by), filter);
  Statement query(store.connection(), sql.c_str());
  query.bind(1, filter.limit);
  return all_rows(query);
}

}  // namespace harness::store
