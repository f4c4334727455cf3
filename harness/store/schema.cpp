#include "harness/store/schema.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "harness/core/error.h"
#include "harness/store/schema_objects.h"

namespace harness::store {
namespace {

constexpr const char* kSchemaText =
#include "embedded/harness/store/schema.sql"
    ;

constexpr const char* kOldestText =
#include "embedded/harness/store/schema_5.sql"
    ;
constexpr const char* kStep6 =
#include "embedded/harness/store/schema_6_imports.sql"
    ;
constexpr const char* kStep7 =
#include "embedded/harness/store/schema_7_interrupted.sql"
    ;
constexpr const char* kStep8 =
#include "embedded/harness/store/schema_8_screened.sql"
    ;
constexpr const char* kStep9 =
#include "embedded/harness/store/schema_9_proposals.sql"
    ;
constexpr const char* kStep10 =
#include "embedded/harness/store/schema_10_profiles.sql"
    ;
constexpr const char* kStep11 =
#include "embedded/harness/store/schema_11_agents.sql"
    ;
constexpr const char* kStep12 =
#include "embedded/harness/store/schema_12_fleet.sql"
    ;
constexpr const char* kStep13 =
#include "embedded/harness/store/schema_13_outside.sql"
    ;
constexpr const char* kStep14 =
#include "embedded/harness/store/schema_14_cards.sql"
    ;
constexpr const char* kStep15 =
#include "embedded/harness/store/schema_15_fastest.sql"
    ;
constexpr const char* kStep16 =
#include "embedded/harness/store/schema_16_agent_times.sql"
    ;

// Versions 1 to 4 were never released: their stores were made anew from text.
constexpr int kFirst = 5;
constexpr Migration kSteps[] = {kStep6,  kStep7,  kStep8,  kStep9,  kStep10, kStep11,
                                kStep12, kStep13, kStep14, kStep15, kStep16};

int pragma(SQLite::Database& database, const char* name) {
  return database.execAndGet(fmt::format("PRAGMA {}", name)).getInt();
}

bool has_tables(SQLite::Database& database) {
  return database.execAndGet("SELECT count(*) FROM sqlite_schema").getInt() > 0;
}

/// All that is read in its life is of one moment: version and tables change together in another process. It may lie
/// within a transaction.
class Snapshot {
 public:
  explicit Snapshot(SQLite::Database& database) : database_(database) { database_.exec("SAVEPOINT snapshot"); }
  ~Snapshot() { database_.tryExec("RELEASE snapshot"); }
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

 private:
  SQLite::Database& database_;
};

/// A step may edit what a table's CHECK says. In its life only: a connection is defensive against all others.
class WritableSchema {
 public:
  explicit WritableSchema(SQLite::Database& database) : handle_(database.getHandle()) {
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, -1, &before_);
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
  }
  ~WritableSchema() { sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, before_, nullptr); }
  WritableSchema(const WritableSchema&) = delete;
  WritableSchema& operator=(const WritableSchema&) = delete;

 private:
  sqlite3* handle_;
  int before_ = 1;
};

void refuse_unreadable(int found, const Schema& schema, const std::string& path) {
  if (found > schema.version()) {
    throw bad_input(
        fmt::format("the store {} has schema version {}, and this harness knows versions up to {}; use the newer "
                    "harness that wrote it, or name another file with --db",
                    path, found, schema.version()));
  }
  if (found <= 0) {
    throw bad_input(
        fmt::format("the store {} has schema version {}, which no harness writes: the file is damaged; name "
                    "another file with --db",
                    path, found));
  }
  if (found < schema.first) {
    throw bad_input(
        fmt::format("the store {} has schema version {}, and this harness reads versions from {} on; export "
                    "it with the older harness that wrote it and import the text into a new store (--db)",
                    path, found, schema.first));
  }
}

}  // namespace

const Schema& current_schema() {
  static const Schema schema{kSchemaText, kFirst, kSteps, kOldestText};
  return schema;
}

SchemaState schema_state(SQLite::Database& database, const Schema& schema, const std::string& path) {
  const Snapshot snapshot(database);
  if (!has_tables(database)) return SchemaState::empty;
  if (pragma(database, "application_id") != kApplicationId) {
    throw bad_input(fmt::format(
        "{} is an SQLite file, but not a store of harness; name another file with --db, which is created on "
        "first use",
        path));
  }
  const int found = pragma(database, "user_version");
  refuse_unreadable(found, schema, path);
  if (const SchemaObjects* expected = expected_objects(schema, found)) refuse_altered(database, *expected, found, path);
  return found == schema.version() ? SchemaState::current : SchemaState::older;
}

void bring_up_to_date(SQLite::Database& database, const Schema& schema, const std::string& path) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  const SchemaState state = schema_state(database, schema, path);  // another process may have been faster
  if (state == SchemaState::current) return;
  if (state == SchemaState::empty) {
    database.exec(schema.create);
    database.exec(fmt::format("PRAGMA application_id = {}", kApplicationId));
  } else {
    const WritableSchema writable(database);
    const int found = pragma(database, "user_version");
    for (int version = found; version < schema.version(); ++version)
      database.exec(schema.steps[version - schema.first]);
  }
  refuse_altered(database, *expected_objects(schema, schema.version()), schema.version(), path);
  database.exec(fmt::format("PRAGMA user_version = {}", schema.version()));
  transaction.commit();
}

}  // namespace harness::store
