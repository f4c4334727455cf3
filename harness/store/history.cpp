#include "harness/store/history.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/store/columns.h"
#include "harness/store/condition.h"
#include "harness/store/stored_json.h"

namespace harness::store {
namespace {

// The names that a view's rows have.
std::vector<std::string> columns_of(Store& store, const char* view) {
  Statement query(store.connection(), "SELECT name FROM pragma_table_info(?1)", view);
  std::vector<std::string> names;
  while (query.next()) names.push_back(query.text(0));
  return names;
}

/// ", its value in an iteration's last profile AS name": NULL where it was never profiled.
std::string of_last_profile(const char* column, const char* name) {
  return fmt::format(
      ", (SELECT f.{} FROM profile f WHERE f.iteration = v_iterations.iteration ORDER BY f.id DESC LIMIT 1) AS {}",
      column, name);
}

}  // namespace

json history(Store& store, const HistoryFilter& filter) {
  check_names(store, filter);
  // Only the conditions asked for, so that each finds its index.
  Condition where = condition_of(filter, {"campaign", "kernel", "workload", "variant", "technique", "device",
                                          "device_name", "outcome", "verdict", ""});
  if (filter.since_unix) where.add("ended >= strftime('%Y-%m-%d %H:%M:%S', ?, 'unixepoch')", *filter.since_unix);
  std::vector<std::string> known = columns_of(store, "v_iterations");
  known.insert(known.end(), {"rule", "diagnosis", "profile_source"});
  const std::string sql = "SELECT *" + of_last_profile("rule", "rule") + of_last_profile("diagnosis", "diagnosis") +
                          of_last_profile("source", "profile_source") + " FROM v_iterations WHERE " + where.sql + " " +
                          order_of(filter, known, "iteration DESC") + " LIMIT ?";
  Statement query(store.connection(), sql.c_str());
  query.bind(where.bind(query), filter.limit);
  return all_rows(query);
}

namespace {

constexpr const char* kBestColumns =
    "b.*, r.rival_variant, r.rival_config, r.rival_ns, r.rival_iteration, "
    "r.rival_iteration IS NULL OR NOT EXISTS (SELECT 1 FROM gate_result g WHERE g.iteration = r.rival_iteration "
    "  AND g.checked = 0 AND g.detail LIKE 'not deterministic%') AS rival_deterministic, "
    "o.outside_program, o.outside_ns, o.outside_method, o.outside_measured";
constexpr const char* kBesideBest[] = {"rival_variant",   "rival_config",        "rival_ns",
                                       "rival_iteration", "rival_deterministic", "outside_program",
                                       "outside_ns",      "outside_method",      "outside_measured"};
constexpr const char* kBestJoins =
    " b LEFT JOIN v_rivals r USING (kernel, workload, device_name, contract_hash) "
    "LEFT JOIN v_outside o USING (kernel, workload, device_name) ";

/// The best among the iterations that fit, as v_best has it of those that count.
constexpr const char* kBestOfFitting =
    "(WITH fitting AS (SELECT i.id, row_number() OVER (PARTITION BY i.kernel, i.workload, p.device_name "
    "  ORDER BY i.confirmed DESC, i.time_ns, i.id) AS place "
    "  FROM iteration i JOIN candidate c ON c.id = i.candidate JOIN campaign p ON p.id = i.campaign "
    "  WHERE i.outcome = 'passed' AND i.time_ns IS NOT NULL AND i.purpose <> 'rival' AND {} "
    "  AND NOT EXISTS (SELECT 1 FROM refuted f WHERE f.candidate = i.candidate AND f.workload = i.workload "
    "                  AND f.device_name = p.device_name)) "
    "SELECT v.kernel, v.workload, v.device_name, v.variant, v.technique, v.config, v.time_ns, v.time_lo_ns, "
    "v.time_hi_ns, v.baseline_ns, v.speedup, v.speedup_lo, v.speedup_hi, v.floor_ns, v.of_floor, v.limit_ns, "
    "v.of_limit, v.confirmed, v.emulation, v.iteration, v.campaign, v.device, v.contract_hash, v.source_hash, v.ended, "
    "v.imported, v.label, "
    "v.parent FROM fitting f JOIN v_iterations v ON v.iteration = f.id WHERE f.place = 1)";

bool asks_beyond_best(const HistoryFilter& filter) {
  return filter.campaign || filter.variant || filter.technique || filter.verdict || filter.outcome || filter.since_unix;
}

}  // namespace

json best(Store& store, const HistoryFilter& filter) {
  check_names(store, filter);
  const bool beyond = asks_beyond_best(filter);
  const Condition where =
      beyond ? condition_of(filter, {"i.campaign", "i.kernel", "i.workload", "c.variant", "c.technique", "p.device",
                                     "p.device_name", "i.outcome", "i.verdict", "i.ended_unix"})
             : condition_of(filter, {"", "kernel", "workload", "", "", "b.device", "device_name", "", "", ""});
  const std::string from = beyond ? fmt::format(fmt::runtime(kBestOfFitting), where.sql) : "v_best";
  std::vector<std::string> known = columns_of(store, "v_best");
  known.insert(known.end(), std::begin(kBesideBest), std::end(kBesideBest));
  const std::string sql =
      fmt::format("SELECT {} FROM {} {} WHERE {} {} LIMIT ?", kBestColumns, from, kBestJoins, beyond ? "1" : where.sql,
                  order_of(filter, known, "kernel, workload, device_name"));
  Statement query(store.connection(), sql.c_str());
  query.bind(where.bind(query), filter.limit);
  return all_rows(query);
}

namespace {

constexpr const char* kViewsText =
#include "embedded/harness/store/schema.sql"
    ;

/// The first sentence of the comment that stands above a view in the schema.
std::string comment_above(const std::string& view) {
  const std::string text = kViewsText;
  const std::size_t at = text.find("CREATE VIEW " + view + " ");
  std::string comment;
  for (std::size_t end = at; end != std::string::npos && end > 1;) {
    const std::size_t begin = text.rfind('\n', end - 2) + 1;
    const std::string line = text.substr(begin, end - 1 - begin);
    if (line.starts_with("-- ")) comment = line.substr(3) + (comment.empty() ? "" : " ") + comment;
    else if (!line.starts_with("CREATE INDEX")) break;  // an index that a view needs stands between the two
    end = begin;
  }
  comment = comment.substr(0, comment.find(". "));
  if (comment.ends_with('.')) comment.pop_back();
  return comment;
}

}  // namespace

std::vector<ViewDescription> views(Store& store) {
  std::vector<ViewDescription> all;
  const std::string text = kViewsText;
  for (std::size_t at = 0; (at = text.find("CREATE VIEW v_", at)) != std::string::npos; ++at) {
    const std::size_t begin = at + std::string("CREATE VIEW ").size();
    const std::string name = text.substr(begin, text.find(' ', begin) - begin);
    all.push_back({name, comment_above(name), columns_of(store, name.c_str())});
  }
  return all;
}

/// The fastest rival of an iteration's workload, contract and device, as v_rivals has it, which reads all rivals; null:
/// none has passed.
json rival_of(Store& store, std::int64_t iteration) {
  Statement query(store.connection(),
                  "SELECT d.variant, d.config, r.time_ns, r.id AS iteration "
                  "FROM iteration i JOIN candidate c ON c.id = i.candidate JOIN campaign p ON p.id = i.campaign "
                  "JOIN iteration r INDEXED BY iteration_rivals ON r.kernel = i.kernel AND r.workload = i.workload "
                  "AND r.purpose = 'rival' AND r.outcome = 'passed' AND r.time_ns IS NOT NULL "
                  "JOIN candidate d ON d.id = r.candidate AND d.contract_hash = c.contract_hash "
                  "JOIN campaign q ON q.id = r.campaign AND q.evidence = 1 AND q.device_name = p.device_name "
                  "WHERE i.id = ?1 ORDER BY r.time_ns, r.id LIMIT 1",
                  iteration);
  return query.next() ? row_object(query) : json();
}

/// What the fastest program outside of harness says of an iteration's workload on its device; null: nobody said.
json outside_of(Store& store, std::int64_t iteration) {
  Statement query(store.connection(),
                  "SELECT o.outside_program AS program, o.outside_ns AS time_ns, o.outside_method AS method, "
                  "o.outside_measured AS measured FROM iteration i JOIN campaign p ON p.id = i.campaign "
                  "JOIN v_outside o ON o.kernel = i.kernel AND o.workload = i.workload AND o.device_name = "
                  "p.device_name WHERE i.id = ?1",
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
  if (const auto profile = read_profile(store.connection(), iteration)) shown["profile"] = *profile;
  if (json rival = rival_of(store, iteration); !rival.is_null()) shown["rival"] = std::move(rival);
  if (json outside = outside_of(store, iteration); !outside.is_null()) shown["outside"] = std::move(outside);
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
