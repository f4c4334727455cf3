#include "harness/store/history.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/store/columns.h"
#include "harness/store/stored_json.h"

namespace harness::store {
namespace {

json row_object(const Statement& query) {
  json row = json::object();
  for (int column = 0; column < query.columns(); ++column) {
    const std::string name = query.column_name(column);
    const json value = query.brief(column);
    if (name == "confirmed" || name == "emulation" || name == "imported") row[name] = query.flag(column);
    else if ((name == "config" || name == "rival_config") && value.is_string())
      row[name] = parsed_json(value.get<std::string>()).value_or(value);
    else row[name] = value;
  }
  return row;
}

json all_rows(Statement& query) {
  json rows = json::array();
  while (query.next()) rows.push_back(row_object(query));
  return rows;
}

// An arm's counts and a stage's seconds are summed apart, then joined by the key.
constexpr const char* kCostByTechnique = R"sql(
  WITH spent AS (SELECT kernel, technique, sum(seconds) AS seconds, sum(usd) AS usd, sum(unpriced_s) AS unpriced_s
                 FROM rollup_device_cost GROUP BY kernel, technique),
       done AS (SELECT kernel, technique, sum(iterations) AS iterations, sum(passed) AS passed,
                       max(best_speedup) AS best_speedup FROM rollup_device_technique GROUP BY kernel, technique)
  SELECT nullif(spent.technique, '') AS technique, nullif(spent.kernel, '') AS kernel, iterations, passed, best_speedup,
         seconds, usd, unpriced_s
  FROM spent LEFT JOIN done USING (kernel, technique) ORDER BY seconds DESC, technique, kernel)sql";

constexpr const char* kCostByStage = R"sql(
  SELECT stage, sum(seconds) AS seconds, sum(usd) AS usd, sum(unpriced_s) AS unpriced_s
  FROM rollup_device_cost GROUP BY stage ORDER BY seconds DESC, stage)sql";

constexpr const char* kCostByCampaign = R"sql(
  WITH spent AS (SELECT campaign, sum(seconds) AS seconds, sum(usd) AS usd, sum(unpriced_s) AS unpriced_s
                 FROM rollup_cost GROUP BY campaign),
       done AS (SELECT campaign, sum(iterations) AS iterations, sum(passed) AS passed, max(best_speedup) AS best_speedup
                FROM rollup_arm GROUP BY campaign)
  SELECT p.id AS campaign, p.name, p.device, p.device_name, iterations, passed, best_speedup, seconds, usd, unpriced_s
  FROM spent JOIN campaign p ON p.id = spent.campaign LEFT JOIN done ON done.campaign = p.id
  ORDER BY seconds DESC, p.id)sql";

constexpr const char* kCostByDevice = R"sql(
  WITH spent AS (SELECT device_name, sum(seconds) AS seconds, sum(usd) AS usd, sum(unpriced_s) AS unpriced_s
                 FROM rollup_device_cost GROUP BY device_name),
       done AS (SELECT device_name, sum(iterations) AS iterations, sum(passed) AS passed, max(best_speedup) AS best_speedup
                FROM rollup_device_technique GROUP BY device_name)
  SELECT spent.device_name AS device, iterations, passed, best_speedup, seconds, usd, unpriced_s
  FROM spent LEFT JOIN done USING (device_name) ORDER BY seconds DESC, device)sql";

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

}  // namespace

json history(Store& store, const HistoryFilter& filter) {
  // Only the conditions asked for, so that each finds its index.
  std::string sql = "SELECT * FROM v_iterations WHERE 1";
  sql += filter.campaign ? " AND campaign = ?1" : " AND ?1 IS NULL";
  sql += filter.kernel ? " AND kernel = ?2" : " AND ?2 IS NULL";
  sql += filter.outcome ? " AND outcome = ?3" : " AND ?3 IS NULL";
  sql += " ORDER BY iteration DESC LIMIT ?4";
  Statement query(store.connection(), sql.c_str(), filter.campaign, filter.kernel, filter.outcome, filter.limit);
  return all_rows(query);
}

json best(Store& store, const std::optional<std::string>& kernel, const std::optional<std::string>& workload) {
  Statement query(store.connection(),
                  "SELECT b.*, r.rival_variant, r.rival_config, r.rival_ns, r.rival_iteration "
                  "FROM v_best b LEFT JOIN v_rivals r USING (kernel, workload, device_name, contract_hash) "
                  "WHERE (?1 IS NULL OR kernel = ?1) AND (?2 IS NULL OR workload = ?2) "
                  "ORDER BY kernel, workload, device_name",
                  kernel, workload);
  return all_rows(query);
}

json cost(Store& store, CostBy by) {
  Statement query(store.connection(), cost_sql(by));
  return all_rows(query);
}

/// The fastest rival of an iteration's workload, contract and device; null: none has passed.
json rival_of(Store& store, std::int64_t iteration) {
  Statement query(
      store.connection(),
      "SELECT r.rival_variant AS variant, r.rival_config AS config, r.rival_ns AS time_ns, "
      "r.rival_iteration AS iteration "
      "FROM iteration i JOIN candidate c ON c.id = i.candidate JOIN campaign p ON p.id = i.campaign "
      "JOIN v_rivals r ON r.kernel = i.kernel AND r.workload = i.workload AND r.device_name = p.device_name "
      "AND r.contract_hash = c.contract_hash WHERE i.id = ?1",
      iteration);
  return query.next() ? row_object(query) : json();
}

bool imported(Store& store, std::int64_t campaign) {
  Statement query(store.connection(), "SELECT imported FROM campaign WHERE id = ?", campaign);
  return query.next() && query.flag(0);
}

json show(Store& store, std::int64_t iteration, bool with_source) {
  const RecordedIteration found = read_iteration(store.connection(), iteration, with_source ? Texts::all : Texts::log);
  json shown = iteration_json(found.identity, found.row, Detail::full);
  if (imported(store, found.identity.campaign)) shown["imported"] = true;
  if (with_source) shown["source"] = found.row.source;
  if (json rival = rival_of(store, iteration); !rival.is_null()) shown["rival"] = std::move(rival);
  return shown;
}

json decision(Store& store, std::int64_t id) {
  Statement query(
      store.connection(),
      "SELECT v.*, d.numbers, d.now_unix FROM v_decisions v JOIN decision d ON d.id = v.decision WHERE d.id = ?", id);
  if (!query.next())
    throw bad_input(fmt::format("there is no decision {} in the store {}; v_decisions has them all", id,
                                store.connection().path()));
  json row = json::object();
  for (int column = 0; column < query.columns(); ++column) {
    const std::string name = query.column_name(column);
    const bool is_json = name == "numbers" || name == "patterns" || name == "rule_numbers";
    row[name == "numbers" ? "table" : name] =
        is_json && !query.null(column) ? query.parsed(column) : query.value(column);
  }
  return row;
}

json decision_of(Store& store, std::int64_t iteration) {
  Statement query(store.connection(),
                  "SELECT a.decision FROM iteration i JOIN attempt a ON a.id = i.attempt WHERE i.id = ?", iteration);
  if (!query.next() || query.null(0)) return nullptr;
  return decision(store, query.integer(0));
}

}  // namespace harness::store
