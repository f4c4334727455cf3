#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/core/json.h"
#include "harness/store/connection.h"

namespace harness::store {

/// One use of a prepared statement: binds on construction, resets at the end of its life, and turns what SQLite reports
/// into an Error. `sql` is a constant of this program; values only ever come in as bound parameters.
class Statement {
 public:
  template <typename... Values>
  Statement(Connection& connection, const char* sql, const Values&... values) : Statement(connection, sql, Unbound{}) {
    int index = 0;
    (bind(++index, values), ...);
  }
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  bool next();  // steps to the next row; false: there is none
  void run();   // a statement that answers with no row

  void bind(int index, std::int64_t value);
  void bind(int index, int value) { bind(index, std::int64_t{value}); }
  void bind(int index, bool value) { bind(index, std::int64_t{value}); }
  void bind(int index, double value);  // not finite: NULL
  void bind(int index, const std::string& value);
  void bind(int index, const char* value) { bind(index, std::string(value)); }
  void bind(int index, std::string_view value) { bind(index, std::string(value)); }
  void bind(int index, std::nullopt_t);
  template <typename T>
  void bind(int index, const std::optional<T>& value) {
    if (value) bind(index, *value);
    else bind(index, std::nullopt);
  }

  int columns() const;
  std::string column_name(int column) const;
  bool null(int column) const;
  bool flag(int column) const { return integer(column) != 0; }
  std::int64_t integer(int column) const;  // NULL: 0
  double real(int column) const;           // NULL: 0
  std::string text(int column) const;      // NULL: ""; always valid UTF-8
  std::optional<std::int64_t> maybe_integer(int column) const;
  std::optional<double> maybe_real(int column) const;
  std::optional<std::string> maybe_text(int column) const;
  json parsed(int column) const;  // JSON text; null where there is none or it is damaged
  json value(int column) const;   // by its SQLite type; a blob as hexadecimal text
  /// The same for rows of many: of a text or a blob that no harness writes there, because it is longer than 4,096
  /// bytes, only the beginning and how long it is.
  json brief(int column) const;

 private:
  struct Unbound {};
  Statement(Connection& connection, const char* sql, Unbound);

  Connection& connection_;
  SQLite::Statement& statement_;
};

enum class Durability {
  process,  // survives the death of every process at once
  machine,  // survives the death of the machine as well: waits for the disk
};

/// One short writing transaction. Waits for other writers; rolls back unless committed.
class Write {
 public:
  explicit Write(Connection& connection, Durability durability = Durability::process);
  void commit();

 private:
  Connection& connection_;
  std::optional<SQLite::Transaction> transaction_;
};

/// One consistent view of the store for several queries, while others write.
class Read {
 public:
  explicit Read(Connection& connection);

 private:
  SQLite::Transaction transaction_;
};

}  // namespace harness::store
