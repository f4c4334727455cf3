#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "harness/core/history.h"
#include "harness/store/statement.h"
#include "harness/store/store.h"

namespace harness::store {

/// What follows WHERE, and the values of its parameters.
struct Condition {
  std::string sql = "1";
  std::vector<std::variant<std::int64_t, double, std::string>> values;

  /// Adds "AND (text)"; each ? of it takes the value.
  template <typename T>
  void add(const std::string& text, const T& value) {
    sql += " AND (" + text + ")";
    for (char c : text)
      if (c == '?') values.emplace_back(value);
  }
  /// From parameter `first` on; the next free one.
  int bind(Statement& statement, int first = 1) const;
};

/// Names of the columns that a filter's parts are about; "" for a part that is not to be looked at.
struct FilterColumns {
  std::string campaign, kernel, workload, variant, technique, device, device_name, outcome, verdict, ended_unix;
};

Condition condition_of(const HistoryFilter& filter, const FilterColumns& columns);

/// Throws Error(bad_input), with the nearest known name, where the store knows no such campaign, kernel, workload,
/// variant, technique or device.
void check_names(Store& store, const HistoryFilter& filter);

/// "ORDER BY ..." of `filter.sort`, or `otherwise`. Throws Error(bad_input) for a column that is not among `known`.
std::string order_of(const HistoryFilter& filter, const std::vector<std::string>& known, const std::string& otherwise);

/// What `--sort -speedup` means.
struct SortKey {
  std::string column;
  bool descending = false;
};
/// Nothing: no order was asked for. Throws as order_of.
std::optional<SortKey> sort_key(const HistoryFilter& filter, const std::vector<std::string>& known);

/// A row as an object: keys as the columns, flags as booleans, configurations as objects.
json row_object(const Statement& query);
json all_rows(Statement& query);

}  // namespace harness::store
