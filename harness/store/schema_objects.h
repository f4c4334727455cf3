#pragma once
#include <SQLiteCpp/SQLiteCpp.h>

#include <map>
#include <string>
#include <utility>

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

/// A store runs the triggers and views that its file declares, so a stranger's file could change what is recorded and
/// what is read. Throws Error(bad_input) that names the first object which `schema`, SQL that is the same in each call,
/// does not have, lacks or declares otherwise.
void refuse_altered(SQLite::Database& database, const std::string& path, const std::string& schema);

}  // namespace harness::store
