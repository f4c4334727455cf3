#include "harness/store/connection.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "harness/core/error.h"
#include "harness/store/failure.h"
#include "harness/store/file_system.h"
#include "harness/store/schema.h"

namespace harness::store {
namespace {

namespace fs = std::filesystem;

void refuse_misplaced(const std::string& path, Mode mode) {
  const fs::path folder = fs::absolute(path).parent_path();
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    throw bad_input(fmt::format("the folder {} of the store {} does not exist; make it, or name another file with --db",
                                folder.string(), path));
  }
  if (fs::is_directory(path, ignored)) {
    throw bad_input(fmt::format("{} is a folder, not a store; name a file with --db", path));
  }
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) {  // opening a pipe waits for its writer
    throw bad_input(fmt::format("{} is no plain file, so it is no store; name another file with --db", path));
  }
  if (mode == Mode::read_only && !fs::exists(path, ignored)) {
    throw bad_input(
        fmt::format("there is no store at {}; `harness run` makes one, or name an existing file with --db", path));
  }
  if (const auto network = network_file_system(folder.string())) {
    throw environment_error(fmt::format(
        "the store {} lies on a network file system ({}), where SQLite's locks do not hold; name a file on a "
        "local disk with --db",
        path, *network));
  }
}

// Of a text, a blob, or a row, also of one that a query makes on its way.
constexpr int kLongestValue = 256 * 1024 * 1024;

void harden(SQLite::Database& database) {
  sqlite3* handle = database.getHandle();
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kLongestValue);
  database.exec("PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON");
}

/// The switch to WAL needs the file alone and does not wait by itself: two processes may be creating it.
void switch_to_wal(SQLite::Database& database, int patience_ms) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::milliseconds(patience_ms);
  for (;;) {
    try {
      database.execAndGet("PRAGMA journal_mode = WAL");
      return;
    } catch (const SQLite::Exception& exception) {
      if ((exception.getErrorCode() & 0xff) != SQLITE_BUSY || Clock::now() >= end) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
}

SQLite::Database open_writable(const std::string& path, int patience_ms) {
  SQLite::Database database(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, patience_ms);
  harden(database);
  if (sqlite3_db_readonly(database.getHandle(), "main") == 1) {
    throw environment_error(fmt::format(
        "the store {} is read-only; make the file and its folder writable, or name another file with --db", path));
  }
  schema_state(database, path);  // refuses foreign files before anything is written to them
  switch_to_wal(database, patience_ms);
  database.exec("PRAGMA synchronous = NORMAL");
  if (schema_state(database, path) != SchemaState::current) create_schema(database, path);
  return database;
}

SQLite::Database open_uri(const std::string& path, const char* parameters, int patience_ms) {
  SQLite::Database database(sqlite_uri(path) + parameters, SQLite::OPEN_READONLY | SQLite::OPEN_URI, patience_ms);
  harden(database);
  database.execAndGet("SELECT count(*) FROM sqlite_schema");  // the file is only looked at now
  return database;
}

/// In a folder that is not writable SQLite cannot keep the log's index. Without a pending log the file alone is whole
/// and cannot change, so it is read as immutable.
SQLite::Database open_readable(const std::string& path, int patience_ms) {
  try {
    return open_uri(path, "?mode=ro", patience_ms);
  } catch (const SQLite::Exception& exception) {
    const int code = exception.getErrorCode() & 0xff;
    if (code != SQLITE_CANTOPEN && code != SQLITE_READONLY) throw;
    std::error_code no_log;
    const auto pending = fs::file_size(path + "-wal", no_log);
    if (!no_log && pending > 0) throw;
    return open_uri(path, "?immutable=1", patience_ms);
  }
}

SQLite::Database open_to_read(const std::string& path, int patience_ms) {
  SQLite::Database database = open_readable(path, patience_ms);
  if (schema_state(database, path) == SchemaState::current) return database;
  open_writable(path, patience_ms);  // it is empty: creates the schema, and closes
  return open_readable(path, patience_ms);
}

}  // namespace

Connection::Connection(std::string path, SQLite::Database database)
    : path_(std::move(path)), database_(std::move(database)) {
  opened_ = identity_of(file());
}

Connection::FileIdentity Connection::identity_of(const std::string& file) {
  struct stat status {};
  if (file.empty() || stat(file.c_str(), &status) != 0) return std::nullopt;
  return std::pair<std::uint64_t, std::uint64_t>(status.st_dev, status.st_ino);
}

void Connection::refuse_replaced() const {
  if (!opened_ || identity_of(file()) == opened_) return;
  throw environment_error(
      fmt::format("the store {} was removed or replaced while this program had it open; what is found from here on is "
                  "not recorded, put it back or begin anew",
                  path_));
}

Connection Connection::open(const std::string& path, Mode mode, int patience_ms) {
  refuse_misplaced(path, mode);
  try {
    return {path, mode == Mode::read_write ? open_writable(path, patience_ms) : open_to_read(path, patience_ms)};
  } catch (const SQLite::Exception& exception) {
    throw failure(path, exception);
  }
}

Connection Connection::in_memory() {
  SQLite::Database database(":memory:", SQLite::OPEN_READWRITE);
  harden(database);
  create_schema(database, "(in memory)");
  return {"(in memory)", std::move(database)};
}

std::string Connection::file() const {
  const char* const file = sqlite3_db_filename(database_.getHandle(), "main");
  return file == nullptr ? "" : file;
}

SQLite::Statement& Connection::prepared(const char* sql) {
  auto& statement = statements_[sql];
  if (!statement) statement = std::make_unique<SQLite::Statement>(database_, sql);
  return *statement;
}

}  // namespace harness::store
