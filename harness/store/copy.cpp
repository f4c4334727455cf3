#include "harness/store/copy.h"

#include <SQLiteCpp/Backup.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "harness/core/error.h"

namespace harness::store {
namespace {

namespace fs = std::filesystem;

void write_through(const fs::path& file) {
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

}  // namespace

void copy_store(Connection& connection, const std::string& folder) {
  const fs::path place = fs::path(folder) / fs::path(connection.path()).filename();
  const fs::path part = place.string() + ".part";
  try {
    fs::create_directories(folder);
    fs::remove(part);
    {
      SQLite::Database to(part.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
      SQLite::Backup backup(to, connection.database());
      backup.executeStep(-1);
      to.exec("PRAGMA journal_mode = DELETE");  // one file alone, without a log beside it
    }
    write_through(part);
    fs::rename(part, place);
  } catch (const std::exception& error) {
    throw environment_error(fmt::format("the store could not be copied to {}: {}", folder, error.what()));
  }
}

}  // namespace harness::store
