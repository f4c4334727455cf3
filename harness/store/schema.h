#pragma once
#include <SQLiteCpp/SQLiteCpp.h>

#include <span>
#include <string>

namespace harness::store {

/// `PRAGMA application_id` of a store ("HRNS"): tells it from other SQLite files.
inline constexpr int kApplicationId = 0x48524e53;

/// One step from a schema version to the next, as SQL.
using Migration = const char*;

/// What a connection must bring a file to. `create` is the whole newest schema; `steps[k]` leads from version k + 1 to
/// k + 2, so the newest version is steps.size() + 1.
struct Schema {
  const char* create;
  std::span<const Migration> steps;
  int version() const { return static_cast<int>(steps.size()) + 1; }
};

/// The schema of this program: schema.sql and every step that led to it.
const Schema& current_schema();

enum class SchemaState { empty, current, older };

/// Where a file stands. Throws Error(bad_input) for a store of a newer schema and for an SQLite file of something else.
SchemaState schema_state(SQLite::Database& database, const Schema& schema, const std::string& path);

/// Creates or migrates, in one transaction: another process sees the old or the new schema, nothing between. Does
/// nothing where the schema is current.
void bring_up_to_date(SQLite::Database& database, const Schema& schema, const std::string& path);

}  // namespace harness::store
