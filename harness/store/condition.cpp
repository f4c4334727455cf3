#include "harness/store/condition.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
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

void check_name(Store& store, const std::optional<std::string>& name, const KnownNames& known) {
  if (!name) return;
  Statement exists(store.connection(), known.exists, *name);
  if (exists.next()) return;
  std::vector<std::string> all = texts(store.connection(), known.all);
  std::string end = did_you_mean(*name, all);
  if (end.empty()) {
    constexpr std::size_t kListed = 8;
    const std::size_t more = all.size() > kListed ? all.size() - kListed : 0;
    all.resize(all.size() - more);
    end = all.empty()
              ? "; nothing is recorded yet"
              : fmt::format("; it has {}{}", fmt::join(all, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
  }
  throw bad_input(
      fmt::format("no {} '{}' is recorded in the store {}{}", known.what, *name, store.connection().path(), end));
}

}  // namespace

int Condition::bind(Statement& statement, int first) const {
  for (const auto& value : values) std::visit([&](const auto& v) { statement.bind(first++, v); }, value);
  return first;
}

Condition condition_of(const HistoryFilter& filter, const FilterColumns& columns) {
  Condition made;
  const auto add = [&](const auto& wanted, const std::string& column) {
    if (wanted && !column.empty()) made.add(column + " = ?", *wanted);
  };
  add(filter.campaign, columns.campaign);
  add(filter.kernel, columns.kernel);
  add(filter.workload, columns.workload);
  add(filter.variant, columns.variant);
  add(filter.technique, columns.technique);
  add(filter.outcome, columns.outcome);
  add(filter.verdict, columns.verdict);
  if (filter.device && !columns.device_name.empty())
    made.add(fmt::format("{} = ? OR {} = ?", columns.device, columns.device_name), *filter.device);
  if (filter.since_unix && !columns.ended_unix.empty()) made.add(columns.ended_unix + " >= ?", *filter.since_unix);
  return made;
}

void check_names(Store& store, const HistoryFilter& filter) {
  check_name(store, filter.kernel, kKernels);
  check_name(store, filter.workload, kWorkloads);
  check_name(store, filter.technique, kTechniqueNames);
  check_name(store, filter.variant, kVariants);
  check_name(store, filter.device, kDevices);
  if (!filter.campaign) return;
  Statement exists(store.connection(), "SELECT 1 FROM campaign WHERE id = ?1", *filter.campaign);
  if (!exists.next())
    throw bad_input(fmt::format("there is no campaign {} in the store {}; see harness campaigns", *filter.campaign,
                                store.connection().path()));
}

std::string order_of(const HistoryFilter& filter, const std::vector<std::string>& known, const std::string& otherwise) {
  if (!filter.sort) return "ORDER BY " + otherwise;
  const bool down = filter.sort->starts_with('-');
  const std::string key = filter.sort->substr(down ? 1 : 0);
  if (std::ranges::find(known, key) == known.end()) {
    const std::string end = did_you_mean(key, known);
    throw bad_input(fmt::format("rows cannot be sorted by '{}'{}", key,
                                end.empty() ? fmt::format("; they have {}", fmt::join(known, ", ")) : end));
  }
  return fmt::format("ORDER BY {0} IS NULL, {0} {1}, {2}", key, down ? "DESC" : "ASC", otherwise);
}

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

}  // namespace harness::store
