#include "harness/store/failure.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "harness/system/files.h"

namespace harness::store {

Error failure(const std::string& path, const SQLite::Exception& exception) {
  switch (exception.getErrorCode() & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return environment_error(fmt::format(
          "the store {} is locked by another process that does not let go; end that process or wait for it, "
          "then run this again",
          path));
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return environment_error(fmt::format(
          "the store {} is read-only; make the file and its folder writable, or name another file with --db", path));
    case SQLITE_FULL:
      return environment_error(fmt::format(
          "the disk that holds the store {} is full; nothing recorded was lost: free some space and run this again",
          path));
    case SQLITE_NOTADB:
      return bad_input(fmt::format(
          "{} is not a store: file is not a database; name another file with --db, which is created on first use",
          path));
    case SQLITE_CORRUPT:
      return environment_error(
          fmt::format("the store {} is damaged ({}); keep a copy, recover it with `sqlite3 {} .recover`, or name "
                      "another file with --db",
                      path, exception.what(), path));
    case SQLITE_CANTOPEN:
      if (is_out_of_descriptors())
        return environment_error(fmt::format(
            "cannot open the store {}: this process may have no more open files; raise the limit (ulimit -n)", path));
      return environment_error(fmt::format(
          "cannot open the store {}: its folder must exist and be writable, because SQLite keeps a log beside the file",
          path));
    case SQLITE_TOOBIG:
      return bad_input(fmt::format(
          "the store {} met a row of more than 256 MB, which no harness writes; name another file with --db", path));
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
      return bad_input(fmt::format("the store {} refused a value: {}", path, exception.what()));
    default:
      return environment_error(
          fmt::format("the store {} failed: {}; check the disk, then run this again", path, exception.what()));
  }
}

}  // namespace harness::store
