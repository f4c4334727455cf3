#include "harness/report/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/printable.h"
#include "harness/report/out.h"

namespace harness::report {
namespace {

// Columns a cell takes: code points, not bytes.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

bool numeric(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789.eE+-x%$ unmsh") == std::string::npos &&
         text.find_first_of("0123456789") != std::string::npos;
}

bool numeric_column(const Table& table, std::size_t column) {
  return std::all_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
    return row[column] == "-" || row[column].empty() || numeric(row[column]);
  });
}

std::string padded(const std::string& text, std::size_t columns, bool right) {
  const std::string space(columns - std::min(columns, width(text)), ' ');
  return right ? space + text : text + space;
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

/// All rows are padded to the widest cell, and a stranger's store may hold a text of any length.
constexpr std::size_t kWidestCell = 2000;

Table shown_cells(const Table& table) {
  const auto shown = [](const std::vector<std::string>& cells) {
    std::vector<std::string> result;
    for (const std::string& cell : cells) result.push_back(clean(bounded(cell, kWidestCell)));
    return result;
  };
  Table result{shown(table.columns), {}};
  for (const auto& row : table.rows) result.rows.push_back(shown(row));
  return result;
}

template <typename Quote>
std::string joined(const std::vector<std::string>& cells, const char* separator, Quote quote) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) line += (i == 0 ? "" : separator) + quote(cells[i]);
  return line;
}

}  // namespace

std::string clean(const std::string& text) {
  return printable(text, Lines::one);
}

std::string aligned(const Table& table) {
  const Table shown = shown_cells(table);
  std::vector<std::size_t> widths;
  std::vector<bool> right;
  for (std::size_t c = 0; c < shown.columns.size(); ++c) {
    std::size_t widest = width(shown.columns[c]);
    for (const auto& row : shown.rows) widest = std::max(widest, width(row[c]));
    widths.push_back(widest);
    right.push_back(!shown.rows.empty() && numeric_column(shown, c));
  }
  std::string text;
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string out;
    for (std::size_t c = 0; c < cells.size(); ++c) out += (c == 0 ? "" : "  ") + padded(cells[c], widths[c], right[c]);
    out.erase(out.find_last_not_of(' ') + 1);
    text += out + "\n";
  };
  line(shown.columns);
  for (const auto& row : shown.rows) line(row);
  return text;
}

std::string csv(const Table& table) {
  std::string text = joined(table.columns, ",", quoted) + "\r\n";
  for (const auto& row : table.rows) text += joined(row, ",", quoted) + "\r\n";
  return text;
}

std::string markdown(const Table& table) {
  const auto escaped = [](const std::string& cell) {
    std::string result;
    for (char c : clean(cell)) result += c == '|' ? std::string("\\|") : std::string(1, c);
    return result;
  };
  std::string text = "| " + joined(table.columns, " | ", escaped) + " |\n|";
  for (std::size_t c = 0; c < table.columns.size(); ++c) text += "---|";
  text += "\n";
  for (const auto& row : table.rows) text += "| " + joined(row, " | ", escaped) + " |\n";
  return text;
}

std::string cell(const json& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:.6g}", value.get<double>());
  return json_text(value);
}

Table from_rows(const std::vector<std::string>& columns, const json& rows) {
  Table table{columns, {}};
  for (const json& row : rows) {
    std::vector<std::string> cells;
    for (const std::string& column : columns) cells.push_back(cell(row.value(column, json())));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace harness::report
