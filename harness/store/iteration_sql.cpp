#include "harness/store/iteration_sql.h"

#include <fmt/format.h>

#include <stdexcept>

namespace harness::store {
namespace {

template <typename Row>
std::string columns_of(const char* prefix) {
  std::string names;
  Row row;
  for (const IterationField& field : iteration_fields())
    if (field.is(kColumn))
      with_field(field, row, [&](const auto&) { names += fmt::format(", {}{}", prefix, field.column_name()); });
  return names;
}

void bind_value(Statement& statement, int index, const json& value) {
  if (value.is_null()) statement.bind(index, std::nullopt);
  else statement.bind(index, json_text(value));
}
void bind_value(Statement& statement, int index, const std::vector<std::uint64_t>& value) {
  statement.bind(index, json_text(value));
}
template <typename T>
requires requires(Statement& statement, const T& value) {
  statement.bind(1, value);
}
void bind_value(Statement& statement, int index, const T& value) {
  statement.bind(index, value);
}

void read_value(const Statement& query, int column, bool& value) {
  value = query.flag(column);
}
void read_value(const Statement& query, int column, double& value) {
  value = query.real(column);
}
void read_value(const Statement& query, int column, std::string& value) {
  value = query.text(column);
}
void read_value(const Statement& query, int column, json& value) {
  value = query.parsed(column);
}
void read_value(const Statement& query, int column, std::optional<double>& value) {
  value = query.maybe_real(column);
}
void read_value(const Statement& query, int column, std::optional<std::int64_t>& value) {
  value = query.maybe_integer(column);
}
void read_value(const Statement& query, int column, std::optional<std::string>& value) {
  value = query.maybe_text(column);
}
void read_value(const Statement& query, int column, std::vector<std::uint64_t>& value) {
  value.clear();
  for (const json& item : query.parsed(column))
    if (item.is_number()) value.push_back(item.get<std::uint64_t>());
}

template <typename Row>
int read_all(const Statement& query, int column, Row& row) {
  for (const IterationField& field : iteration_fields())
    if (field.is(kColumn)) with_field(field, row, [&](auto& value) { read_value(query, column++, value); });
  return column;
}

}  // namespace

std::string row_columns(const char* prefix) {
  return columns_of<IterationRow>(prefix);
}

std::string summary_columns(const char* prefix) {
  return columns_of<IterationSummary>(prefix);
}

int bind_columns(Statement& statement, int first, const IterationRow& row) {
  for (const IterationField& field : iteration_fields())
    if (field.is(kColumn)) with_field(field, row, [&](const auto& value) { bind_value(statement, first++, value); });
  return first;
}

int read_columns(const Statement& query, int first, IterationRow& row) {
  return read_all(query, first, row);
}

int read_columns(const Statement& query, int first, IterationSummary& summary) {
  return read_all(query, first, summary);
}

}  // namespace harness::store
