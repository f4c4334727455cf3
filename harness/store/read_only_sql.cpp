#include "harness/store/read_only_sql.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string_view>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/utf8.h"
#include "harness/store/bounded_printf.h"
#include "harness/store/connection.h"
#include "harness/store/failure.h"
#include "harness/store/owner.h"
#include "harness/store/schema.h"
#include "harness/store/stored_json.h"

namespace harness::store {
namespace {

using Clock = std::chrono::steady_clock;

Error refused(const std::string& why) {
  return bad_input(fmt::format("the query was refused: {}", why));
}

bool harmless_function(std::string_view name) {
  static constexpr std::string_view kDenied[] = {"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"};
  return std::ranges::find(kDenied, name) == std::end(kDenied);
}

/// Those that only describe the schema, also as table-valued functions (pragma_table_info).
bool harmless_pragma(std::string_view name) {
  static constexpr std::string_view kAllowed[] = {"table_info", "table_xinfo",      "table_list", "index_list",
                                                  "index_info", "foreign_key_list", "index_xinfo"};
  return std::ranges::find(kAllowed, name) != std::end(kAllowed);
}

int authorize(void*, int action, const char* first, const char* second, const char*, const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      return second != nullptr && harmless_function(second) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_PRAGMA:
      return first != nullptr && harmless_pragma(first) ? SQLITE_OK : SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

bool begins_with(const char* text, const std::string& beginning) {
  return text != nullptr && std::string_view(text).starts_with(beginning);
}

int authorize_agent(void* guard, int action, const char* first, const char* second, const char* third,
                    const char* within) {
  const std::string& secret = *static_cast<const std::string*>(guard);
  const std::string_view table = first == nullptr ? "" : first, column = second == nullptr ? "" : second;
  const bool open = begins_with(first, "agent_") || begins_with(first, secret) || begins_with(within, secret) ||
                    table == "json_each" || table == "json_tree";
  const bool closed = !open || table == "agent_job" || table == "agent_note";
  // Without a column nothing but the number of rows is read; a view that was folded into the statement does so too.
  if (action == SQLITE_PRAGMA || (action == SQLITE_READ && !column.empty() && closed))
    return begins_with(within, secret) ? SQLITE_OK : SQLITE_DENY;
  return authorize(guard, action, first, second, third, within);
}

/// Each view agent_... of the store as a temporary one of the same name over one with a secret name.
void guard_agent_views(SQLite::Database& database, const std::string& secret) {
  std::vector<std::pair<std::string, std::string>> found;
  SQLite::Statement query(database,
                          "SELECT name, sql FROM sqlite_schema WHERE type = 'view' AND name GLOB 'agent_*' ORDER BY 1");
  while (query.executeStep()) found.emplace_back(query.getColumn(0).getString(), query.getColumn(1).getString());
  for (const auto& [name, sql] : found) {
    const std::string select = sql.substr(sql.find(" AS") + 3);
    database.exec(fmt::format("CREATE TEMP VIEW {0}{1} AS {2}", secret, name, select));
    database.exec(fmt::format("CREATE TEMP VIEW {1} AS SELECT * FROM {0}{1}", secret, name));
  }
}

int past_deadline(void* deadline) {
  return Clock::now() >= *static_cast<Clock::time_point*>(deadline) ? 1 : 0;
}

/// The first use of a table-valued function declares its columns, which looks like writing to the authorizer; so those
/// that people need are used once before there is one. Others cannot be.
constexpr const char* kDeclareFunctions =
    "PRAGMA query_only = ON;"
    "SELECT 1 FROM json_each('[]'), json_tree('[]');"
    "SELECT 1 FROM pragma_table_info('iteration'), pragma_table_xinfo('iteration'), pragma_table_list('iteration'), "
    "pragma_index_list('iteration'), pragma_index_info('x'), pragma_index_xinfo('x'), "
    "pragma_foreign_key_list('iteration') LIMIT 1";

void confine(sqlite3* handle, Clock::time_point* deadline) {
  sqlite3_exec(handle, kDeclareFunctions, nullptr, nullptr, nullptr);
  bound_printf(handle);
  // Functions written in C are not interrupted, so what they work on is kept short.
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 32 * 1024 * 1024);
  sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, 1024 * 1024);
  sqlite3_limit(handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 256);
  sqlite3_limit(handle, SQLITE_LIMIT_EXPR_DEPTH, 200);
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(handle, SQLITE_LIMIT_WORKER_THREADS, 0);
  sqlite3_progress_handler(handle, 1000, past_deadline, deadline);
}

/// Whether a code of SQLite's says something of the store rather than of a statement.
bool of_the_file(int code) {
  static constexpr int kOfTheFile[] = {SQLITE_BUSY,     SQLITE_LOCKED, SQLITE_CORRUPT, SQLITE_NOTADB,
                                       SQLITE_CANTOPEN, SQLITE_IOERR,  SQLITE_PROTOCOL};
  return std::ranges::find(kOfTheFile, code & 0xff) != std::end(kOfTheFile);
}

/// Throws unless the text is exactly one complete statement that only reads.
void check_statement(sqlite3* handle, const std::string& sql, SqlReach reach) {
  if (sql.find('\0') != std::string::npos) throw refused("it holds a NUL character");
  sqlite3_stmt* raw = nullptr;
  const char* rest = nullptr;
  const int code = sqlite3_prepare_v2(handle, sql.c_str(), static_cast<int>(sql.size()) + 1, &raw, &rest);
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(raw, sqlite3_finalize);
  if (code == SQLITE_AUTH && reach == SqlReach::agent_views)
    throw refused(
        fmt::format("it may read the views agent_iterations, agent_gates, agent_campaigns, agent_decisions, "
                    "agent_techniques, agent_proposals and agent_notes alone; SQLite says: {}",
                    sqlite3_errmsg(handle)));
  if (code == SQLITE_AUTH)
    throw refused("it may only read (SELECT); SQLite says: " + std::string(sqlite3_errmsg(handle)));
  if (of_the_file(code)) throw SQLite::Exception(handle, code);
  if (code != SQLITE_OK) throw bad_input(fmt::format("the query is wrong: {}", sqlite3_errmsg(handle)));
  if (!statement) throw bad_input("the query is empty; try: SELECT * FROM v_iterations LIMIT 5");
  if (sqlite3_stmt_readonly(raw) == 0) throw refused("it may only read (SELECT)");
  if (sqlite3_bind_parameter_count(raw) > 0) throw refused("it has parameters (?); write the values into it");
  sqlite3_stmt* second = nullptr;
  const int second_code = sqlite3_prepare_v2(handle, rest, -1, &second, nullptr);
  sqlite3_finalize(second);
  if (second_code != SQLITE_OK || second != nullptr) throw refused("it is more than one statement; give one at a time");
}

std::int64_t bytes_of(const json& value) {
  return value.is_string() ? static_cast<std::int64_t>(value.get_ref<const std::string&>().size()) : 8;
}

SqlAnswer collect(SQLite::Statement& statement, const SqlLimits& limits, const PageRecord::TakeRow& take) {
  SqlAnswer answer;
  for (int i = 0; i < statement.getColumnCount(); ++i) answer.columns.push_back(valid_utf8(statement.getColumnName(i)));
  answer.truncated = limits.rows == 0;  // its columns alone are asked for: nothing is worked out
  std::int64_t bytes = 0;
  for (std::int64_t count = 0; !answer.truncated && statement.executeStep(); ++count) {
    if (limits.rows >= 0 && count >= limits.rows) {
      answer.truncated = true;
      break;
    }
    json row = json::array();
    for (int i = 0; i < statement.getColumnCount(); ++i) {
      row.push_back(value_of(statement.getColumn(i)));
      bytes += bytes_of(row.back());
    }
    if (bytes > limits.bytes) {
      throw refused(
          fmt::format("its answer is larger than {} MB; select less or add a LIMIT", limits.bytes / 1'000'000));
    }
    if (take) take(row);
    else answer.rows.push_back(std::move(row));
  }
  return answer;
}

}  // namespace

/// Tables are read through views whose name nobody can guess: SQLite tells the authorizer the name of what reads, and
/// that may also be the name of a WITH clause of the statement.
struct ReadOnlySql::AgentViews {
  std::string secret = "guard_" + new_uuid() + "_";
};

ReadOnlySql::ReadOnlySql(const std::string& path, SqlReach reach)
    : reach_(reach), views_(std::make_unique<AgentViews>()), connection_(Connection::open(path, Mode::read_only)) {
  sqlite3* handle = connection_.database().getHandle();
  deadline_ = Clock::now() + std::chrono::hours(1);  // until the first question
  if (reach_ == SqlReach::agent_views) guard_agent_views(connection_.database(), views_->secret);
  confine(handle, &deadline_);
  confine_statements();
}

ReadOnlySql::~ReadOnlySql() = default;

/// A store may be moved to another schema while it is open.
void ReadOnlySql::refuse_moved() {
  sqlite3* const handle = connection_.database().getHandle();
  sqlite3_set_authorizer(handle, nullptr, nullptr);
  const int version = connection_.database().execAndGet("PRAGMA user_version");
  confine_statements();
  if (version != kSchemaVersion)
    throw environment_error(
        fmt::format("the store {} was moved to schema version {} while it was open, and this harness knows version {}; "
                    "use the harness that did it, or name another file with --db",
                    connection_.path(), version, kSchemaVersion));
}

void ReadOnlySql::confine_statements() {
  sqlite3* const handle = connection_.database().getHandle();
  if (reach_ == SqlReach::agent_views) sqlite3_set_authorizer(handle, authorize_agent, &views_->secret);
  else sqlite3_set_authorizer(handle, authorize, nullptr);
}

SqlAnswer ReadOnlySql::ask(const std::string& sql, const SqlLimits& limits, const PageRecord::TakeRow& take) {
  deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limits.seconds));
  try {
    refuse_moved();
    check_statement(connection_.database().getHandle(), sql, reach_);
    SQLite::Statement statement(connection_.database(), sql);
    return collect(statement, limits, take);
  } catch (const SQLite::Exception& exception) {
    if (exception.getErrorCode() == SQLITE_INTERRUPT) {
      throw bad_input(
          fmt::format("the query took longer than {:g} s and was stopped; narrow it or add a LIMIT", limits.seconds));
    }
    if (exception.getErrorCode() == SQLITE_NOMEM)
      throw refused("it takes more memory than there is for it; select less");
    if (of_the_file(exception.getErrorCode())) throw failure(connection_.path(), exception);
    throw bad_input(fmt::format("the query is wrong: {}", exception.what()));
  }
}

SqlAnswer read_only_sql(const std::string& path, const std::string& sql, const SqlLimits& limits) {
  return ReadOnlySql(path, limits.reach).ask(sql, limits);
}

}  // namespace harness::store
