#include "harness/store/schema_objects.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/utf8.h"

namespace harness::store {
namespace {

bool in_a_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

/// The end of what begins at `at` and is no SQL: blanks, or a comment.
std::size_t after_space(const std::string& sql, std::size_t at) {
  if (blank(sql[at])) return at + 1;
  if (sql.compare(at, 2, "--") == 0) return std::min(sql.find('\n', at), sql.size());
  if (sql.compare(at, 2, "/*") != 0) return at;
  const std::size_t end = sql.find("*/", at + 2);
  return end == std::string::npos ? sql.size() : end + 2;
}

/// The end of the quoted text that begins at `at`; `at` where none does.
std::size_t after_quoted(const std::string& sql, std::size_t at) {
  const char open = sql[at];
  if (open != '\'' && open != '"' && open != '`' && open != '[') return at;
  const std::size_t end = sql.find(open == '[' ? ']' : open, at + 1);  // a doubled quote begins another text at once
  return end == std::string::npos ? sql.size() : end + 1;
}

/// The words and marks of a statement alone: comments have been edited between revisions, and ALTER TABLE adds blanks
/// of its own.
std::string normalised(const std::string& sql) {
  std::string result;
  bool gap = false;
  for (std::size_t at = 0; at < sql.size();) {
    if (const std::size_t end = after_space(sql, at); end != at) {
      gap = true;
      at = end;
      continue;
    }
    if (gap && !result.empty() && in_a_word(result.back()) && in_a_word(sql[at])) result += ' ';
    gap = false;
    const std::size_t end = std::max(after_quoted(sql, at), at + 1);
    result.append(sql, at, end - at);
    at = end;
  }
  return result;
}

/// What ANALYZE leaves: it changes no answer.
bool is_statistics(const std::string& sql) {
  return sql == "CREATE TABLE sqlite_stat1(tbl,idx,stat)" ||
         sql == "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)";
}

Error altered(const std::string& path, const std::string& what) {
  return bad_input(
      fmt::format("the store {} {}: something else than harness changed the file, and nothing was written to it; name "
                  "another file with --db, or export it where it was made and import the text",
                  path, what));
}

/// "the trigger 'x'", at a length that fits a sentence.
std::string called(const std::pair<std::string, std::string>& name) {
  const auto brief = [](const std::string& word) {
    return valid_utf8(word.size() <= 80 ? word : word.substr(0, 80) + "...");
  };
  return fmt::format("{} '{}'", brief(name.first), brief(name.second));
}

}  // namespace

SchemaObjects schema_objects(SQLite::Database& database) {
  SchemaObjects found;
  SQLite::Statement query(database, "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema");
  while (query.executeStep()) {
    const std::string sql = normalised(query.getColumn(3).getString());
    if (is_statistics(sql)) continue;
    SchemaObject& object = found[{query.getColumn(0).getString(), query.getColumn(1).getString()}];
    object.table += query.getColumn(2).getString();
    object.sql += sql;  // declared twice: both together are what nobody expects
  }
  return found;
}

namespace {

/// What a store of this schema declares, made in memory.
SchemaObjects objects_of(const std::string& schema) {
  SQLite::Database database(":memory:", SQLite::OPEN_READWRITE);
  database.exec(schema);
  return schema_objects(database);
}

}  // namespace

void refuse_altered(SQLite::Database& database, const std::string& path, const std::string& schema) {
  static const SchemaObjects expected = objects_of(schema);
  const SchemaObjects declared = schema_objects(database);
  for (const auto& [name, object] : declared) {
    const auto like = expected.find(name);
    if (like == expected.end())
      throw altered(path, fmt::format("has the {}, which no store of this version has", called(name)));
    if (!(like->second == object))
      throw altered(path, fmt::format("declares the {} otherwise than stores of this version do", called(name)));
  }
  for (const auto& [name, object] : expected)
    if (!declared.contains(name)) throw altered(path, fmt::format("lacks the {}", called(name)));
  // Two tables in one place overwrite each other.
  SQLite::Statement shared(database,
                           "SELECT 1 FROM sqlite_schema WHERE rootpage > 0 GROUP BY rootpage HAVING count(*) > 1");
  if (shared.executeStep()) throw altered(path, "keeps two of its tables in one place");
}

}  // namespace harness::store
