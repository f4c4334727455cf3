#include "harness/store/schema.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/store/schema_fields.h"
#include "harness/store/schema_objects.h"

namespace harness::store {
namespace {

constexpr const char* kSchemaText =
#include "embedded/harness/store/schema.sql"
    ;

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

void refuse_other_version(int version, const std::string& path) {
  if (version == kSchemaVersion) return;
  if (version > kSchemaVersion)
    throw bad_input(
        fmt::format("the store {} has schema version {}, and this harness knows version {}; use the newer harness that "
                    "wrote it, or name another file with --db",
                    path, version, kSchemaVersion));
  if (version >= 1 && version <= kLastUnreleased)
    throw bad_input(
        fmt::format("the store {} has schema version {}, of a harness from before the first release, and nothing was "
                    "written to it; export it with that harness (harness export FILE --db {}) and import the text "
                    "into a new store (harness import FILE --db NEW)",
                    path, version, path));
  throw bad_input(
      fmt::format("the store {} has schema version {}, which no harness writes: the file is damaged; name another "
                  "file with --db",
                  path, version));
}

}  // namespace

const std::string& schema_text() {
  static const std::string text = with_iteration_fields(kSchemaText);
  return text;
}

SchemaState schema_state(SQLite::Database& database, const std::string& path) {
  const Snapshot snapshot(database);
  if (!has_tables(database)) return SchemaState::empty;
  if (pragma(database, "application_id") != kApplicationId) {
    throw bad_input(fmt::format(
        "{} is an SQLite file, but not a store of harness; name another file with --db, which is created on "
        "first use",
        path));
  }
  refuse_other_version(pragma(database, "user_version"), path);
  refuse_altered(database, path, schema_text());
  return SchemaState::current;
}

void create_schema(SQLite::Database& database, const std::string& path) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  if (schema_state(database, path) == SchemaState::current) return;
  database.exec(schema_text());
  database.exec(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplicationId, kSchemaVersion));
  transaction.commit();
}

}  // namespace harness::store
