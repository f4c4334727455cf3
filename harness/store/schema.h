#pragma once
#include <SQLiteCpp/SQLiteCpp.h>

#include <string>

// The one schema of a store: schema.sql.
namespace harness::store {

/// `PRAGMA application_id` of a store ("HRNS"): tells it from other SQLite files.
inline constexpr int kApplicationId = 0x48524e53;

/// `PRAGMA user_version` of a store. Releases count from 101 on. Programs from before the first release counted from 1
/// to 16, and no step leads from there to here: such a store is brought along as text (export, import).
inline constexpr int kSchemaVersion = 101;
inline constexpr int kLastUnreleased = 16;

/// The whole schema, as SQL: schema.sql with the fields of an iteration (core/iteration_fields.h) in their places.
const std::string& schema_text();

enum class SchemaState { empty, current };

/// Where a file stands; reads it only. Throws Error(bad_input) for a store of another version, for a version that
/// cannot be, for an SQLite file of something else, and for a store that declares other tables, views, triggers or
/// indexes than this program's (schema_objects.h).
SchemaState schema_state(SQLite::Database& database, const std::string& path);

/// Makes the schema in an empty file, in one transaction: another process sees none of it or all. Does nothing where
/// another process was faster.
void create_schema(SQLite::Database& database, const std::string& path);

}  // namespace harness::store
