#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/report/cell.h"
#include "harness/report/wrap.h"

namespace harness::report {

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
};

/// As one line that cannot steer a terminal (core/printable.h).
std::string clean(const std::string& text);

/// Columns padded, numbers to the right, cells of 2,000 bytes at most. Where that is wider than `width`, cells of text
/// go on below themselves; where even that is too wide, each row becomes a block of "heading  cell" lines.
std::string aligned(const Table& table, std::optional<std::size_t> width = terminal_columns());
std::string csv(const Table& table);  // RFC 4180
std::string markdown(const Table& table);
/// {"columns":[...],"rows":[[...]]} of cell_json.
json table_json(const Table& table);
/// Whether all cells of a column look like numbers: to the right then.
bool numeric_column(const Table& table, std::size_t column);

/// Rows of objects that share their keys, in the order of `columns`.
Table from_rows(const std::vector<std::string>& columns, const json& rows);

}  // namespace harness::report
