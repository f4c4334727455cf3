#include "harness/store/iteration_sql.h"

#include <fmt/format.h>

#include <stdexcept>

namespace harness::store {
namespace {

/// The type of a column, as SQL; what is not optional is never NULL.
std::string column_type(const IterationField& field) {
  return std::visit(
      [&]<typename T, typename Owner>(T Owner::*) -> std::string {
        if constexpr (std::is_same_v<T, bool>)
          return fmt::format("INTEGER NOT NULL CHECK ({} IN (0, 1))", field.column_name());
        else if constexpr (std::is_same_v<T, double>) return "REAL NOT NULL";
        else if constexpr (std::is_same_v<T, std::optional<double>>) return "REAL";
        else if constexpr (std::is_same_v<T, std::optional<std::int64_t>>) return "INTEGER";
        else if constexpr (std::is_same_v<T, std::optional<std::string>> || std::is_same_v<T, json>) return "TEXT";
        else return "TEXT NOT NULL";
      },
      field.place);
}

std::string declared_columns() {
  std::string lines;
  for (const IterationField& field : iteration_fields())
    if (field.is(kColumn))
      lines +=
          fmt::format("  {} {} {},   -- {}\n", field.column_name(), column_type(field), field.constraint, field.what);
  return lines;
}

std::string columns_for_people() {
  std::string lines;
  for (const IterationField& field : iteration_fields())
    if (field.is(kView)) lines += fmt::format("         i.{} AS {},\n", field.column_name(), field.shown_name());
  return lines;
}

/// A time that was emulated is told under another name, so that nobody takes it for a GPU's.
std::string columns_for_agents() {
  std::string lines;
  for (const IterationField& field : iteration_fields()) {
    if (!field.is(kAgentView)) continue;
    const char* const form =
        field.is(kDeviceTime) ? "         iif(i.emulation, NULL, i.{0}) AS {0},\n" : "         i.{0},\n";
    lines += fmt::format(fmt::runtime(form), field.column_name());
  }
  return lines;
}

void replace_mark(std::string& text, const std::string& mark, const std::string& lines) {
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) throw std::logic_error("schema.sql has no mark " + mark);
  text.replace(at, mark.size(), lines);
}

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

std::string with_iteration_fields(std::string text) {
  replace_mark(text, "--{fields}\n", declared_columns());
  replace_mark(text, "--{fields for people}\n", columns_for_people());
  replace_mark(text, "--{fields for agents}\n", columns_for_agents());
  return text;
}

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
