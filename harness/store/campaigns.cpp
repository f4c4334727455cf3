#include "harness/store/campaigns.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/suggest.h"
#include "harness/store/figures.h"
#include "harness/store/stored_json.h"

namespace harness::store {
namespace {

// A single evaluation (harness eval) has no strategy, nor has a space that another tuner recorded: that one is shown.
constexpr const char* kIsCampaign =
    "(p.strategy <> '' OR EXISTS (SELECT 1 FROM environment e WHERE e.campaign = p.id "
    "AND json_extract(e.facts, '$.recorded_in') IS NOT NULL))";

constexpr const char* kCampaigns = R"sql(
  SELECT p.id AS campaign, p.name, strftime('%Y-%m-%d %H:%M:%S', p.started_unix, 'unixepoch') AS begun,
         strftime('%Y-%m-%d %H:%M:%S', p.ended_unix, 'unixepoch') AS ended, p.device, p.device_name, p.strategy,
         p.reason, (SELECT sum(iterations) FROM rollup_arm r WHERE r.campaign = p.id) AS iterations, p.spent_s,
         p.cost_usd, p.imported, p.kernels
  FROM campaign p)sql";

std::string fact_text(const json& object, const char* key) {
  const json value = object.is_object() ? object.value(key, json()) : json();
  return value.is_string() ? value.get<std::string>() : "";
}

/// Which campaigns have an iteration that fits what only iterations know.
void add_iteration_conditions(const HistoryFilter& filter, Condition& where) {
  const Condition fits = condition_of(
      filter, {"", "i.kernel", "i.workload", "c.variant", "c.technique", "", "", "i.outcome", "i.verdict", ""});
  if (fits.values.empty()) return;
  where.sql += fmt::format(
      " AND EXISTS (SELECT 1 FROM iteration i JOIN candidate c ON c.id = i.candidate WHERE i.campaign = p.id AND {})",
      fits.sql);
  where.values.insert(where.values.end(), fits.values.begin(), fits.values.end());
}

}  // namespace

json environment_facts(Store& store, std::int64_t campaign) {
  Statement query(store.connection(), "SELECT facts FROM environment WHERE campaign = ?", campaign);
  const json facts = query.next() ? query.parsed(0) : json();
  return facts.is_object() ? facts : json::object();
}

json bests_of(Store& store, std::int64_t campaign) {
  Statement query(
      store.connection(),
      "SELECT i.kernel, i.workload, c.variant, c.technique, c.config, i.time_ns, i.time_lo_ns, i.time_hi_ns, "
      "i.baseline_ns, i.speedup, i.floor_ns, i.confirmed, i.emulation, c.contract_hash, p.device, p.device_name, "
      "i.id AS iteration, p.imported "
      "FROM (SELECT id, row_number() OVER (PARTITION BY kernel, workload "
      "      ORDER BY confirmed DESC, time_ns, id) AS place FROM iteration j "
      "      WHERE campaign = ?1 AND outcome = 'passed' AND time_ns IS NOT NULL AND purpose <> 'rival' "
      "      AND NOT EXISTS (SELECT 1 FROM struck l WHERE l.campaign = j.campaign AND l.workload = j.workload "
      "        AND l.candidate = j.candidate)) b "
      "JOIN iteration i ON i.id = b.id JOIN candidate c ON c.id = i.candidate "
      "JOIN campaign p ON p.id = i.campaign WHERE b.place = 1 ORDER BY i.kernel, i.workload",
      campaign);
  return all_rows(query);
}

namespace {

/// 0 where an older campaign did not write down what it planned.
std::int64_t planned_workloads(Store& store, std::int64_t campaign) {
  Statement query(store.connection(),
                  "SELECT coalesce(json_array_length(options, '$.planned'), 0) FROM campaign WHERE id = ?", campaign);
  return query.next() ? query.integer(0) : 0;
}

// What a row has that no column of the store has: it is looked up, or computed, for each.
constexpr const char* kComputed[] = {"score", "workloads", "workloads_planned", "driver", "revision", "spent_s"};

void add_computed(Store& store, json& row) {
  const std::int64_t id = row["campaign"].get<std::int64_t>();
  row["kernels"] =
      row["kernels"].is_string() ? parsed_json(row["kernels"].get<std::string>()).value_or(json()) : json();
  const json head = figure_objects(store, "campaign", id).at(0);
  const std::int64_t improved = head["improved"].is_null() ? 0 : head["improved"].get<std::int64_t>();
  row["score"] = head["score"];
  row["workloads"] = improved;
  row["workloads_planned"] = std::max(improved, planned_workloads(store, id));
  if (improved > 0) row["emulation"] = head["emulation"];
  const json facts = environment_facts(store, id);
  const std::string release = fact_text(facts, "driver_release");
  row["driver"] = text_or_null(release.empty() ? fact_text(facts.value("device", json()), "driver") : release);
  row["revision"] = text_or_null(fact_text(facts, "revision"));
  row["spent_s"] = store.spent_seconds(id);
}

/// Rows without the value come last, whichever way they are sorted.
void sort_rows(json& rows, const SortKey& key) {
  std::stable_sort(rows.begin(), rows.end(), [&](const json& a, const json& b) {
    const json& left = a.at(key.column);
    const json& right = b.at(key.column);
    if (left.is_null() || right.is_null()) return right.is_null() && !left.is_null();
    return key.descending ? right < left : left < right;
  });
}

}  // namespace

json campaigns(Store& store, const HistoryFilter& filter) {
  check_names(store, filter);
  Condition where =
      condition_of(filter, {"p.id", "", "", "", "", "p.device", "p.device_name", "", "", "p.started_unix"});
  add_iteration_conditions(filter, where);
  std::vector<std::string> known{
      "campaign",   "name",    "begun",    "ended", "device",    "device_name",       "strategy", "reason",
      "iterations", "spent_s", "cost_usd", "score", "workloads", "workloads_planned", "driver",   "revision"};
  const std::optional<SortKey> key = sort_key(filter, known);
  const bool computed = key && std::ranges::find(kComputed, key->column) != std::end(kComputed);
  HistoryFilter selected = filter;
  if (computed) selected.sort = std::nullopt, selected.limit = -1;
  const std::string sql = fmt::format("{} WHERE {} AND {} {} LIMIT ?", kCampaigns, kIsCampaign, where.sql,
                                      order_of(selected, known, "campaign DESC"));
  json rows;
  {
    Statement query(store.connection(), sql.c_str());
    query.bind(where.bind(query), selected.limit);
    rows = all_rows(query);
  }
  for (json& row : rows) add_computed(store, row);
  if (!computed) return rows;
  sort_rows(rows, *key);
  const auto limit = static_cast<std::size_t>(filter.limit);
  if (filter.limit >= 0 && rows.size() > limit) rows.erase(rows.begin() + filter.limit, rows.end());
  return rows;
}

std::vector<std::int64_t> campaigns_called(Store& store, const std::string& text) {
  std::vector<std::int64_t> ids;
  const bool is_number = !text.empty() && text.size() < 18 && text.find_first_not_of("0123456789") == std::string::npos;
  const auto add_all = [&](const std::string& condition, const auto&... values) {
    const std::string sql = fmt::format("SELECT p.id FROM campaign p WHERE {} ORDER BY p.id DESC", condition);
    Statement query(store.connection(), sql.c_str(), values...);
    while (query.next()) ids.push_back(query.integer(0));
  };
  if (is_number) add_all("p.id = ?1", std::int64_t{std::stoll(text)});
  if (ids.empty()) add_all(fmt::format("{} AND p.name = ?1", kIsCampaign), text);
  if (ids.empty() && text == "latest") add_all(kIsCampaign);
  return ids;
}

std::int64_t campaign_called(Store& store, const std::string& text) {
  if (const auto ids = campaigns_called(store, text); !ids.empty()) return ids.front();
  std::vector<std::string> known{"latest"};
  Statement query(store.connection(),
                  "SELECT name FROM campaign WHERE name IS NOT NULL GROUP BY name ORDER BY max(id) DESC LIMIT 10000");
  while (query.next()) known.push_back(query.text(0));
  const std::string end = did_you_mean(text, known);
  throw bad_input(fmt::format("there is no campaign {} in the store {}{}", text, store.connection().path(),
                              end.empty() ? "; see harness campaigns" : end));
}

std::optional<std::int64_t> campaign_before(Store& store, std::int64_t campaign) {
  const std::string sql = fmt::format(
      "SELECT p.id FROM campaign p JOIN campaign q ON q.id = ?1 WHERE {} AND p.id < q.id AND p.name IS q.name "
      "AND (q.name IS NOT NULL OR (p.kernels = q.kernels AND p.device_name = q.device_name)) ORDER BY p.id DESC "
      "LIMIT 1",
      kIsCampaign);
  Statement query(store.connection(), sql.c_str(), campaign);
  return query.next() ? std::optional(query.integer(0)) : std::nullopt;
}

}  // namespace harness::store
