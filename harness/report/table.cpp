#include "harness/report/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/printable.h"
#include "harness/report/out.h"

namespace harness::report {
namespace {

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

namespace {

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

Layout natural_layout(const Table& table) {
  Layout layout;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t widest = display_width(table.columns[c]);
    for (const auto& row : table.rows) widest = std::max(widest, display_width(row[c]));
    layout.widths.push_back(widest);
    layout.right.push_back(!table.rows.empty() && numeric_column(table, c));
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
std::string as_blocks(const Table& table, std::size_t width) {
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

std::string aligned(const Table& table, std::optional<std::size_t> width) {
  const Table shown = shown_cells(table);
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
