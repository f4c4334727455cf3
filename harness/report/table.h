#pragma once
#include <string>
#include <vector>

#include "harness/core/json.h"

namespace harness::report {

/// A table of text cells.
struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

/// As one line that cannot steer a terminal (core/printable.h).
std::string clean(const std::string& text);

std::string aligned(const Table& table);  // columns padded; numbers to the right; cells of 2,000 bytes at most
std::string csv(const Table& table);      // RFC 4180
std::string markdown(const Table& table);

/// Rows of objects that share their keys, in the order of `columns`.
Table from_rows(const std::vector<std::string>& columns, const json& rows);
std::string cell(const json& value);  // null is "-"

}  // namespace harness::report
