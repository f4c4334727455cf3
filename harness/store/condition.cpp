#include "harness/store/condition.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/gpu.h"
#include "harness/core/name_list.h"
#include "harness/core/prediction_range.h"
#include "harness/core/suggest.h"
#include "harness/store/stored_json.h"

namespace harness::store {
namespace {

std::vector<std::string> texts(Connection& connection, const std::string& sql) {
  Statement query(connection, sql.c_str());
  std::vector<std::string> all;
  while (query.next()) all.push_back(query.text(0));
  return all;
}

struct KnownNames {
  const char* what;
  const char* exists;  // with ?1
  const char* all;
};

// Whether a name is there is asked of an index; all names are only listed for the sentence that says it is not.
constexpr KnownNames kKernels{"kernel", "SELECT 1 FROM iteration WHERE kernel = ?1 LIMIT 1",
                              "SELECT DISTINCT kernel FROM rollup_arm"};
constexpr KnownNames kWorkloads{"workload", "SELECT 1 FROM rollup_arm WHERE workload = ?1 LIMIT 1",
                                "SELECT DISTINCT workload FROM rollup_arm"};
constexpr KnownNames kTechniqueNames{"technique", "SELECT 1 FROM rollup_device_technique WHERE technique = ?1 LIMIT 1",
                                     "SELECT DISTINCT technique FROM rollup_device_technique"};
constexpr KnownNames kVariants{"variant", "SELECT 1 FROM candidate WHERE variant = ?1 LIMIT 1",
                               "SELECT DISTINCT variant FROM candidate"};
constexpr KnownNames kDevices{"device", "SELECT 1 FROM campaign WHERE ?1 IN (device, device_name) LIMIT 1",
                              "SELECT DISTINCT device FROM campaign UNION SELECT device_name FROM campaign"};

void check_name(Store& store, const std::string& name, const KnownNames& known) {
  Statement exists(store.connection(), known.exists, name);
  if (exists.next()) return;
  std::vector<std::string> all = texts(store.connection(), known.all);
  if (is_pattern(name)) {
    if (std::ranges::any_of(all, [&](const std::string& each) { return matches_pattern(each, name); })) return;
  }
  std::string end = did_you_mean(name, all);
  if (end.empty()) {
    constexpr std::size_t kListed = 8;
    const std::size_t more = all.size() > kListed ? all.size() - kListed : 0;
    all.resize(all.size() - more);
    end = all.empty()
              ? "; nothing is recorded yet"
              : fmt::format("; it has {}{}", fmt::join(all, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
  }
  throw bad_input(
      fmt::format("no {} '{}' is recorded in the store {}{}", known.what, name, store.connection().path(), end));
}

/// Each of a list of names and wildcards.
void check_names(Store& store, const std::optional<std::string>& names, const KnownNames& known) {
  if (!names) return;
  const std::vector<std::string> list = listed_names(*names);
  if (list.empty()) throw bad_input(fmt::format("'{}' names no {}", *names, known.what));
  for (const std::string& name : list) check_name(store, name, known);
}

/// Adds "(kernel = ? OR kernel GLOB ?)" for each of the columns and names, and the values of its parameters.
void add_names(Condition& made, const std::string& names, std::initializer_list<std::string> columns) {
  std::string sql;
  for (const std::string& column : columns)
    for (const std::string& name : listed_names(names)) {
      sql += fmt::format("{}{} {} ?", sql.empty() ? "" : " OR ", column, is_pattern(name) ? "GLOB" : "=");
      made.values.emplace_back(is_pattern(name) ? glob_of(name) : name);
    }
  made.sql += " AND (" + sql + ")";
}

}  // namespace

int Condition::bind(Statement& statement, int first) const {
  for (const auto& value : values) std::visit([&](const auto& v) { statement.bind(first++, v); }, value);
  return first;
}

Condition condition_of(const HistoryFilter& filter, const FilterColumns& columns) {
  Condition made;
  const auto add = [&](const std::optional<std::string>& names, const std::string& column) {
    if (names && !column.empty()) add_names(made, *names, {column});
  };
  if (filter.campaign && !columns.campaign.empty()) made.add(columns.campaign + " = ?", *filter.campaign);
  add(filter.kernel, columns.kernel);
  add(filter.workload, columns.workload);
  add(filter.variant, columns.variant);
  add(filter.technique, columns.technique);
  add(filter.outcome, columns.outcome);
  add(filter.verdict, columns.verdict);
  if (filter.device && !columns.device_name.empty())
    add_names(made, *filter.device, {columns.device, columns.device_name});
  if (filter.since_unix && !columns.ended_unix.empty()) made.add(columns.ended_unix + " >= ?", *filter.since_unix);
  return made;
}

void check_names(Store& store, const HistoryFilter& filter) {
  check_names(store, filter.kernel, kKernels);
  check_names(store, filter.workload, kWorkloads);
  check_names(store, filter.technique, kTechniqueNames);
  check_names(store, filter.variant, kVariants);
  check_names(store, filter.device, kDevices);
  if (!filter.campaign) return;
  Statement exists(store.connection(), "SELECT 1 FROM campaign WHERE id = ?1", *filter.campaign);
  if (!exists.next())
    throw bad_input(fmt::format("there is no campaign {} in the store {}; see harness campaigns", *filter.campaign,
                                store.connection().path()));
}

std::optional<SortKey> sort_key(const HistoryFilter& filter, const std::vector<std::string>& known) {
  if (!filter.sort) return std::nullopt;
  const bool down = filter.sort->starts_with('-');
  const std::string key = filter.sort->substr(down ? 1 : 0);
  if (std::ranges::find(known, key) == known.end()) {
    const std::string end = did_you_mean(key, known);
    throw bad_input(fmt::format("rows cannot be sorted by '{}'{}", key,
                                end.empty() ? fmt::format("; they have {}", fmt::join(known, ", ")) : end));
  }
  return SortKey{key, down};
}

std::string order_of(const HistoryFilter& filter, const std::vector<std::string>& known, const std::string& otherwise) {
  const std::optional<SortKey> key = sort_key(filter, known);
  if (!key) return "ORDER BY " + otherwise;
  return fmt::format("ORDER BY {0} IS NULL, {0} {1}, {2}", key->column, key->descending ? "DESC" : "ASC", otherwise);
}

namespace {

/// An older program recorded predictions without the model's range: a range of one point would say that it is certain.
void widen_prediction(json& row) {
  const auto is_point = [&](const char* lo, const char* hi) {
    return row.contains(lo) && row.contains(hi) && row[lo].is_number() && row[lo] == row[hi];
  };
  const json device = row.value("device", json());
  if (row.value("emulation", json()) != true || !device.is_string() || predicted_gpu(device).empty()) return;
  if (is_point("time_lo_ns", "time_hi_ns") && row.value("time_ns", json()).is_number()) {
    const double ns = row["time_ns"].get<double>();
    row["time_lo_ns"] = ns / kPredictedRange;
    row["time_hi_ns"] = ns * kPredictedRange;
  }
  if (is_point("speedup_lo", "speedup_hi") && row.value("speedup", json()) != 1.0)
    row["speedup_lo"] = row["speedup_hi"] = nullptr;
}

}  // namespace

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
  widen_prediction(row);
  return row;
}

json all_rows(Statement& query) {
  json rows = json::array();
  while (query.next()) rows.push_back(row_object(query));
  return rows;
}

}  // namespace harness::store
