#include "harness/store/statement.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cmath>
#include <stdexcept>

#include "harness/core/utf8.h"
#include "harness/store/failure.h"
#include "harness/store/stored_json.h"

namespace harness::store {
namespace {

/// A row still being read holds an old view of the store, and SQLite lets nobody write on top of one once another
/// process has written: it would fail at once, and only then.
void refuse_open_rows(Connection& connection) {
  sqlite3* const handle = connection.database().getHandle();
  for (sqlite3_stmt* each = sqlite3_next_stmt(handle, nullptr); each != nullptr; each = sqlite3_next_stmt(handle, each))
    if (sqlite3_stmt_busy(each) != 0)
      throw std::logic_error(
          fmt::format("a writing transaction begins while rows of this are read: {}", sqlite3_sql(each)));
}

}  // namespace

Statement::Statement(Connection& connection, const char* sql, Unbound) try
    : connection_(connection), statement_(connection.prepared(sql)) {
} catch (const SQLite::Exception& exception) {
  throw failure(connection.path(), exception);
}

Statement::~Statement() {
  statement_.tryReset();
  statement_.clearBindings();  // cannot fail; lets go of long texts
}

bool Statement::next() {
  try {
    return statement_.executeStep();
  } catch (const SQLite::Exception& exception) {
    throw failure(connection_.path(), exception);
  }
}

void Statement::run() {
  next();
}

void Statement::bind(int index, std::int64_t value) {
  statement_.bind(index, value);
}

void Statement::bind(int index, double value) {
  if (std::isfinite(value)) statement_.bind(index, value);
  else statement_.bind(index);
}

void Statement::bind(int index, const std::string& value) {
  statement_.bind(index, valid_utf8(value));
}

void Statement::bind(int index, std::nullopt_t) {
  statement_.bind(index);
}

int Statement::columns() const {
  return statement_.getColumnCount();
}

std::string Statement::column_name(int column) const {
  return statement_.getColumnName(column);
}

bool Statement::null(int column) const {
  return statement_.getColumn(column).isNull();
}

std::int64_t Statement::integer(int column) const {
  return statement_.getColumn(column).getInt64();
}

double Statement::real(int column) const {
  return statement_.getColumn(column).getDouble();
}

std::string Statement::text(int column) const {
  return valid_utf8(statement_.getColumn(column).getString());
}

std::optional<std::int64_t> Statement::maybe_integer(int column) const {
  return null(column) ? std::nullopt : std::optional(integer(column));
}

std::optional<double> Statement::maybe_real(int column) const {
  return null(column) ? std::nullopt : std::optional(real(column));
}

std::optional<std::string> Statement::maybe_text(int column) const {
  return null(column) ? std::nullopt : std::optional(text(column));
}

json Statement::parsed(int column) const {
  return null(column) ? json(nullptr) : parsed_json(text(column)).value_or(json(nullptr));
}

json Statement::value(int column) const {
  return value_of(statement_.getColumn(column));
}

json Statement::brief(int column) const {
  constexpr int kLongest = 4096;
  const SQLite::Column cell = statement_.getColumn(column);
  const bool long_one = (cell.isText() || cell.isBlob()) && cell.getBytes() > kLongest;
  if (!long_one) return value_of(cell);
  std::string beginning(static_cast<const char*>(cell.getBlob()), kLongest);
  while (!beginning.empty() && (static_cast<unsigned char>(beginning.back()) & 0xc0) == 0x80) beginning.pop_back();
  if (!beginning.empty() && static_cast<unsigned char>(beginning.back()) >= 0xc0) beginning.pop_back();
  return valid_utf8(beginning) + "... (" + std::to_string(cell.getBytes()) + " bytes)";
}

Write::Write(Connection& connection, Durability durability) : connection_(connection) {
  refuse_open_rows(connection);
  connection.refuse_replaced();
  try {
    connection.prepared(durability == Durability::machine ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
        .tryExecuteStep();
    transaction_.emplace(connection.database(), SQLite::TransactionBehavior::IMMEDIATE);
  } catch (const SQLite::Exception& exception) {
    throw failure(connection.path(), exception);
  }
}

void Write::commit() {
  try {
    transaction_->commit();
  } catch (const SQLite::Exception& exception) {
    throw failure(connection_.path(), exception);
  }
}

Read::Read(Connection& connection) try : transaction_(connection.database()) {
} catch (const SQLite::Exception& exception) {
  throw failure(connection.path(), exception);
}

}  // namespace harness::store
