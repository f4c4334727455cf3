#include "harness/store/statement.h"

#include <cmath>

#include "harness/store/failure.h"
#include "harness/store/text.h"

namespace harness::store {

Query::Query(Connection& connection, const char* sql, Unbound) try
    : connection_(connection), statement_(connection.prepared(sql)) {
} catch (const SQLite::Exception& exception) {
  throw failure(connection.path(), exception);
}

Query::~Query() {
  statement_.tryReset();
  statement_.clearBindings();  // cannot fail; lets go of long texts
}

bool Query::next() {
  try {
    return statement_.executeStep();
  } catch (const SQLite::Exception& exception) {
    throw failure(connection_.path(), exception);
  }
}

void Query::run() {
  next();
}

void Query::bind(int index, std::int64_t value) {
  statement_.bind(index, value);
}

void Query::bind(int index, double value) {
  if (std::isfinite(value)) statement_.bind(index, value);
  else statement_.bind(index);
}

void Query::bind(int index, const std::string& value) {
  statement_.bind(index, valid_utf8(value));
}

void Query::bind(int index, std::nullopt_t) {
  statement_.bind(index);
}

int Query::columns() const {
  return statement_.getColumnCount();
}

std::string Query::column_name(int column) const {
  return statement_.getColumnName(column);
}

bool Query::null(int column) const {
  return statement_.getColumn(column).isNull();
}

std::int64_t Query::integer(int column) const {
  return statement_.getColumn(column).getInt64();
}

double Query::real(int column) const {
  return statement_.getColumn(column).getDouble();
}

std::string Query::text(int column) const {
  return valid_utf8(statement_.getColumn(column).getString());
}

std::optional<std::int64_t> Query::maybe_integer(int column) const {
  return null(column) ? std::nullopt : std::optional(integer(column));
}

std::optional<double> Query::maybe_real(int column) const {
  return null(column) ? std::nullopt : std::optional(real(column));
}

std::optional<std::string> Query::maybe_text(int column) const {
  return null(column) ? std::nullopt : std::optional(text(column));
}

json Query::parsed(int column) const {
  return null(column) ? json(nullptr) : parsed_json(text(column)).value_or(json(nullptr));
}

json Query::value(int column) const {
  return value_of(statement_.getColumn(column));
}

Write::Write(Connection& connection, Durability durability) : connection_(connection) {
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
