#pragma once
#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace harness::store {

enum class Mode { read_write, read_only };

/// An open store: one SQLite connection and its prepared statements. Not thread-safe: one connection, one thread.
/// Files are not trusted: schemas cannot call functions with side effects, and extensions cannot be loaded.
class Connection {
 public:
  /// read_write creates the file on first use. read_only works in a folder that is not writable too; it writes nothing
  /// but the schema of a file that is still empty. A store of another version is left as it is. Throws Error: missing
  /// folder or store, not SQLite, not a store, another schema, locked for `patience_ms`, read-only, network file
  /// system.
  static Connection open(const std::string& path, Mode mode, int patience_ms = 5000);
  /// A private store that vanishes with the connection.
  static Connection in_memory();

  const std::string& path() const { return path_; }
  /// The store's file, absolute; "" where it is in memory.
  std::string file() const;
  /// Throws Error(environment) where the file that was opened is no longer the one of its name: what is written would
  /// be found by nobody.
  void refuse_replaced() const;
  SQLite::Database& database() { return database_; }
  /// The statement for this SQL, prepared on first use. Its last user has reset it (Statement does).
  SQLite::Statement& prepared(const char* sql);

 private:
  Connection(std::string path, SQLite::Database database);

  /// Device and inode of a file; nothing: there is none.
  using FileIdentity = std::optional<std::pair<std::uint64_t, std::uint64_t>>;
  static FileIdentity identity_of(const std::string& file);

  std::string path_;
  FileIdentity opened_;
  SQLite::Database database_;
  std::unordered_map<std::string, std::unique_ptr<SQLite::Statement>> statements_;
};

}  // namespace harness::store
