#include "harness/report/table.h"

#include <fmt/format.h>

#include <algorithm>

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

template <typename Quote>
std::string joined(const std::vector<std::string>& cells, const char* separator, Quote quote) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) line += (i == 0 ? "" : separator) + quote(cells[i]);
  return line;
}

}  // namespace

std::string clean(const std::string& text) {
  std::string result;
  for (char c : text) result += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
  return result;
}

std::string aligned(const Table& table) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t widest = width(table.columns[c]);
    for (const auto& row : table.rows) widest = std::max(widest, width(clean(row[c])));
    widths.push_back(widest);
  }
  std::string text;
  const auto line = [&](const std::vector<std::string>& cells, bool header) {
    std::string out;
    for (std::size_t c = 0; c < cells.size(); ++c)
      out += (c == 0 ? "" : "  ") +
             padded(clean(cells[c]), widths[c], numeric_column(table, c) && !(header && table.rows.empty()));
    out.erase(out.find_last_not_of(' ') + 1);
    text += out + "\n";
  };
  line(table.columns, true);
  for (const auto& row : table.rows) line(row, false);
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
