#pragma once
#include <SQLiteCpp/SQLiteCpp.h>

#include <map>
#include <string>
#include <utility>

#include "harness/store/schema.h"

namespace harness::store {

/// What SQLite keeps of a table, index, trigger or view.
struct SchemaObject {
  std::string table;
  std::string sql;  // without comments, and with blanks only where they separate words
  bool operator==(const SchemaObject&) const = default;
};
using SchemaObjects = std::map<std::pair<std::string, std::string>, SchemaObject>;  // by type and name

/// What a file declares. SQLite's own tables of statistics are left out: they change no answer.
SchemaObjects schema_objects(SQLite::Database& database);

/// What a store of this version declares, made once in memory. nullopt: this program does not know the schema of a
/// version so old (tests have such).
const SchemaObjects* expected_objects(const Schema& schema, int version);

/// A store runs the triggers and views that its file declares, so a stranger's file could change what is recorded and
/// what is read. Throws Error(bad_input) that names the first object which a store of this version does not have, lacks
/// or declares otherwise.
void refuse_altered(SQLite::Database& database, const SchemaObjects& expected, int version, const std::string& path);

}  // namespace harness::store
