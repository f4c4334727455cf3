#include "harness/store/page_record.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>

#include "harness/core/embedded.h"
#include "harness/core/error.h"
#include "harness/core/suggest.h"
#include "harness/store/page_attempts.h"
#include "harness/store/page_words.h"
#include "harness/store/read_only_sql.h"

namespace harness::store {
namespace {

constexpr EmbeddedText kPageTables[] = {
#include "embedded/harness/store/pages.table"
};

std::string table_name(const EmbeddedText& file) {
  return std::string(file.name.substr(0, file.name.rfind('.')));
}

}  // namespace

PageSql page_sql(const std::string& name, const PageWords& words) {
  if (name == "attempts") return {"Attempts", attempts_sql(words)};
  const auto* const file = std::ranges::find(kPageTables, name, table_name);
  if (file == std::end(kPageTables))
    throw bad_input(fmt::format("no table is called '{}'{}", name, did_you_mean(name, page_tables())));
  const std::string whole = file->text;
  const std::size_t line = whole.find('\n');
  std::string sql = with_words(whole.substr(line + 1), words);
  while (sql.ends_with('\n')) sql.pop_back();
  return {whole.substr(3, line - 3), sql};
}

namespace {

class StoredPages : public PageRecord {
 public:
  StoredPages(const std::string& path, SqlReach reach) : sql_(path, reach) {}

  PageTable table(const std::string& name, const PageWords& words, const SqlLimits& limits) override {
    const PageSql asked = page_sql(name, words);
    return {asked.title, asked.sql, sql_.ask(asked.sql, limits)};
  }
  SqlAnswer query(const std::string& sql, const SqlLimits& limits, const TakeRow& take) override {
    return sql_.ask(sql, limits, take);
  }

 private:
  ReadOnlySql sql_;
};

}  // namespace

std::vector<std::string> page_tables() {
  std::vector<std::string> names{"attempts"};
  for (const EmbeddedText& file : kPageTables) names.push_back(table_name(file));
  return names;
}

/// Time stops a statement between its steps; this stops one step that takes memory, such as a row of a thousand blobs.
/// It counts for the whole process, which does nothing but answer.
std::unique_ptr<PageRecord> open_page_record(const std::string& path, SqlReach reach) {
  constexpr std::int64_t kMostBytes = 192 << 20;
  sqlite3_hard_heap_limit64(kMostBytes);
  return std::make_unique<StoredPages>(path, reach);
}

}  // namespace harness::store
