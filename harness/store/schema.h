#pragma once
#include <SQLiteCpp/SQLiteCpp.h>

#include <span>
#include <string>

namespace harness::store {

/// `PRAGMA application_id` of a store ("HRNS"): tells it from other SQLite files.
inline constexpr int kApplicationId = 0x48524e53;

/// One step from a schema version to the next, as SQL.
using Migration = const char*;

/// What a connection must bring a file to. `create` is the whole newest schema. `first` is the oldest version that can
/// be brought there; `steps[k]` leads from version first + k to the next.
struct Schema {
  const char* create;
  int first;
  std::span<const Migration> steps;
  const char* oldest = nullptr;  // the whole schema of version `first`; null: it is not checked what such a store holds
  int version() const { return first + static_cast<int>(steps.size()); }
};

/// The schema of this program: schema.sql, and the steps to it from every version that people have. A new step is an
/// SQL text beside schema.sql, which then says the same.
const Schema& current_schema();

enum class SchemaState { empty, current, older };

/// Where a file stands. Throws Error(bad_input) for a store of a newer schema, for one that is older than `first`, for
/// a version that cannot be, for an SQLite file of something else, and for a store that declares other tables, views,
/// triggers or indexes than those of its version (schema_objects.h).
SchemaState schema_state(SQLite::Database& database, const Schema& schema, const std::string& path);

/// Creates or migrates, in one transaction: another process sees the old or the new schema, nothing between. Does
/// nothing where the schema is current. What it leaves is the newest schema: otherwise nothing was changed, and it
/// throws.
void bring_up_to_date(SQLite::Database& database, const Schema& schema, const std::string& path);

}  // namespace harness::store
