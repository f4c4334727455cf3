#include "harness/store/schema_fields.h"

#include <fmt/format.h>

#include <stdexcept>

#include "harness/core/iteration_fields.h"

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

}  // namespace

std::string with_iteration_fields(std::string text) {
  replace_mark(text, "--{fields}\n", declared_columns());
  replace_mark(text, "--{fields for people}\n", columns_for_people());
  replace_mark(text, "--{fields for agents}\n", columns_for_agents());
  return text;
}

}  // namespace harness::store
