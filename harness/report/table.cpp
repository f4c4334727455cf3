#include "harness/report/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/printable.h"
#include "harness/report/out.h"

namespace harness::report {
namespace {

/// What a terminal shows of a table.
struct ShownTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

bool looks_numeric(const std::string& text) {
  return text.empty() || text == "-" ||
         (text.find_first_of("0123456789") != std::string::npos &&
          text.find_first_not_of("0123456789.eE+-x%$ unmsh") == std::string::npos);
}

std::string padded(const std::string& text, std::size_t columns, bool right) {
  const std::string space(columns - std::min(columns, display_width(text)), ' ');
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

ShownTable shown_cells(const Table& table) {
  const auto shown = [](const std::string& cell) { return clean(bounded(cell, kWidestCell)); };
  ShownTable result;
  for (const std::string& column : table.columns) result.columns.push_back(shown(column));
  for (const auto& row : table.rows) {
    auto& cells = result.rows.emplace_back();
    for (const Cell& cell : row) cells.push_back(shown(text(cell)));
  }
  return result;
}

template <typename Cells, typename Quote>
std::string joined(const Cells& cells, const char* separator, Quote quote) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) line += (i == 0 ? "" : separator) + quote(text(Cell(cells[i])));
  return line;
}

constexpr std::size_t kGap = 2;              // blanks between columns
constexpr std::size_t kNarrowestColumn = 8;  // of text that goes on below itself

struct Layout {
  std::vector<std::size_t> widths;
  std::vector<bool> right;  // numbers

  std::size_t total() const {
    std::size_t sum = widths.empty() ? 0 : kGap * (widths.size() - 1);
    for (const std::size_t each : widths) sum += each;
    return sum;
  }
};

Layout natural_layout(const ShownTable& table) {
  Layout layout;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t widest = display_width(table.columns[c]);
    for (const auto& row : table.rows) widest = std::max(widest, display_width(row[c]));
    layout.widths.push_back(widest);
    layout.right.push_back(!table.rows.empty() &&
                           std::ranges::all_of(table.rows, [c](const auto& row) { return looks_numeric(row[c]); }));
  }
  return layout;
}

/// Narrows columns of text, the widest first. False: that is not enough.
bool narrow(Layout& layout, std::size_t width) {
  while (layout.total() > width) {
    std::size_t* widest = nullptr;
    for (std::size_t c = 0; c < layout.widths.size(); ++c)
      if (!layout.right[c] && layout.widths[c] > kNarrowestColumn && (!widest || layout.widths[c] > *widest))
        widest = &layout.widths[c];
    if (widest == nullptr) return false;
    --*widest;
  }
  return true;
}

std::string line_of(const std::vector<std::string>& cells, const Layout& layout) {
  std::string out;
  for (std::size_t c = 0; c < cells.size(); ++c)
    out += (c == 0 ? "" : std::string(kGap, ' ')) + padded(cells[c], layout.widths[c], layout.right[c]);
  out.erase(out.find_last_not_of(' ') + 1);
  return out + "\n";
}

/// One row, of as many lines as its longest cell needs.
std::string row_text(const std::vector<std::string>& cells, const Layout& layout) {
  std::vector<std::vector<std::string>> parts;
  std::size_t lines = 1;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    parts.push_back(display_width(cells[c]) <= layout.widths[c] ? std::vector{cells[c]}
                                                                : pieces(cells[c], layout.widths[c]));
    lines = std::max(lines, parts.back().size());
  }
  std::string text;
  for (std::size_t i = 0; i < lines; ++i) {
    std::vector<std::string> line;
    for (const auto& cell_parts : parts) line.push_back(i < cell_parts.size() ? cell_parts[i] : "");
    text += line_of(line, layout);
  }
  return text;
}

/// A block of lines a row: for more columns than there is room for.
std::string as_blocks(const ShownTable& table, std::size_t width) {
  std::size_t heading = 0;
  for (const std::string& column : table.columns) heading = std::max(heading, display_width(column));
  std::string text;
  for (const auto& row : table.rows) {
    if (!text.empty()) text += "\n";
    for (std::size_t c = 0; c < row.size(); ++c)
      if (!row[c].empty()) text += wrapped(padded(table.columns[c], heading, false) + "  " + row[c], width) + "\n";
  }
  return text;
}

}  // namespace

std::string clean(const std::string& text) {
  return printable(text, Lines::one);
}

bool numeric_column(const Table& table, std::size_t column) {
  return std::ranges::all_of(table.rows, [column](const auto& row) { return looks_numeric(text(row[column])); });
}

std::string aligned(const Table& table, std::optional<std::size_t> width) {
  const ShownTable shown = shown_cells(table);
  Layout layout = natural_layout(shown);
  if (width && layout.total() > *width && !narrow(layout, *width) && !shown.rows.empty())
    return as_blocks(shown, *width);
  std::string text = row_text(shown.columns, layout);
  for (const auto& row : shown.rows) text += row_text(row, layout);
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

json table_json(const Table& table) {
  json rows = json::array();
  for (const auto& row : table.rows) {
    json& cells = rows.emplace_back(json::array());
    for (const Cell& cell : row) cells.push_back(cell_json(cell));
  }
  return {{"columns", table.columns}, {"rows", rows}};
}

Table from_rows(const std::vector<std::string>& columns, const json& rows) {
  Table table{columns, {}};
  for (const json& row : rows) {
    auto& cells = table.rows.emplace_back();
    for (const std::string& column : columns) cells.push_back(cell(row.value(column, json())));
  }
  return table;
}

}  // namespace harness::report
