#include "harness/store/bounded_printf.h"

#include <algorithm>
#include <cctype>
#include <memory>
#include <string>
#include <string_view>

namespace harness::store {
namespace {

constexpr sqlite3_int64 kMostColumns = 1000;

/// The first width or precision of a format that is too large; 0: none. `*` takes it from the arguments, whose n-th
/// `argument(n)` is.
template <typename Argument>
sqlite3_int64 too_wide(std::string_view format, Argument argument) {
  int next = 0;
  for (std::size_t at = 0; at < format.size(); ++at) {
    if (format[at] != '%') continue;
    if (++at < format.size() && format[at] == '%') continue;
    for (; at < format.size() && std::isalpha(static_cast<unsigned char>(format[at])) == 0; ++at) {
      sqlite3_int64 columns = 0;
      if (format[at] == '*') columns = argument(next++);
      while (at < format.size() && std::isdigit(static_cast<unsigned char>(format[at])) != 0 && columns <= kMostColumns)
        columns = 10 * columns + (format[at++] - '0');
      if (columns > kMostColumns || columns < -kMostColumns) return columns;
      if (at < format.size() && std::isalpha(static_cast<unsigned char>(format[at])) != 0) break;
    }
    ++next;
  }
  return 0;
}

/// SQLite's own, of a connection that has nothing else.
void own_printf(sqlite3_context* context, int count, sqlite3_value** values) {
  sqlite3* handle = nullptr;
  if (sqlite3_open(":memory:", &handle) != SQLITE_OK) {
    sqlite3_close(handle);
    return sqlite3_result_error_nomem(context);
  }
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> owner(handle, sqlite3_close);
  std::string sql = "SELECT printf(?";
  for (int i = 1; i < count; ++i) sql += ",?";
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(handle, (sql + ")").c_str(), -1, &statement, nullptr) != SQLITE_OK)
    return sqlite3_result_error(context, sqlite3_errmsg(handle), -1);
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> prepared(statement, sqlite3_finalize);
  for (int i = 0; i < count; ++i) sqlite3_bind_value(statement, i + 1, values[i]);
  if (sqlite3_step(statement) != SQLITE_ROW) return sqlite3_result_error(context, sqlite3_errmsg(handle), -1);
  sqlite3_result_value(context, sqlite3_column_value(statement, 0));
}

void bounded(sqlite3_context* context, int count, sqlite3_value** values) {
  if (count == 0) return sqlite3_result_null(context);
  const auto* const text = reinterpret_cast<const char*>(sqlite3_value_text(values[0]));
  const std::string_view format = text == nullptr ? "" : text;
  const auto argument = [&](int n) { return n + 1 < count ? sqlite3_value_int64(values[n + 1]) : 0; };
  if (too_wide(format, argument) != 0)
    return sqlite3_result_error(context, "printf: a width or precision is above 1000", -1);
  own_printf(context, count, values);
}

}  // namespace

void bound_printf(sqlite3* handle) {
  for (const char* const name : {"printf", "format"})
    sqlite3_create_function(handle, name, -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr, bounded, nullptr, nullptr);
}

}  // namespace harness::store
