#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdio>
#include <fstream>

#include "harness/core/error.h"
#include "harness/store/file_system.h"
#include "harness/store/history.h"
#include "harness/store/schema.h"
#include "tests/store/recorded.h"

using namespace harness;
using namespace harness::store;
using namespace harness::store::test;

namespace {

/// The sentence and exit status of opening a store.
std::pair<std::string, int> refusal(const std::string& path, Mode mode, int patience_ms = 5000) {
  try {
    Connection::open(path, mode, patience_ms);
  } catch (const Error& error) {
    return {error.what(), error.exit_status()};
  }
  return {"", 0};
}

std::string contents(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Runs `body` as a user without privileges (root may write everywhere) and returns what it returns, 0 to 100.
template <typename F>
int unprivileged(F body) {
  const pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && setuid(65534) != 0) _exit(120);
    try {
      _exit(body());
    } catch (const Error& error) {
      _exit(110);
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

}  // namespace

TEST_CASE("a store is made on first use and opened again") {
  const Folder folder;
  const std::string path = folder / "a store #1 100%?.db";
  Store::open(path, Mode::read_write)->begin_campaign(a_campaign());
  CHECK(Store::open(path, Mode::read_only)->campaign(1).device_name == "NVIDIA H200");
  auto again = Store::open(path, Mode::read_write);
  CHECK(value(*again, "PRAGMA journal_mode") == "wal");
  CHECK(value(*again, "PRAGMA foreign_keys") == 1);
  CHECK(again->begin_campaign(a_campaign()) == 2);
}

TEST_CASE("a file that is not a store is refused and left as it was") {
  const Folder folder;
  const std::string text = "this is a shopping list, and long enough to be looked at: " + std::string(2000, 'x');
  std::ofstream(folder / "list.txt") << text;
  for (const Mode mode : {Mode::read_write, Mode::read_only}) {
    const auto [sentence, status] = refusal(folder / "list.txt", mode);
    CHECK_THAT(sentence, Catch::Contains("file is not a database") && Catch::Contains("list.txt"));
    CHECK(status == 2);
  }
  CHECK(contents(folder / "list.txt") == text);
}

TEST_CASE("an SQLite file of something else is refused and left as it was") {
  const Folder folder;
  {
    SQLite::Database other(folder / "other.db", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    other.exec("CREATE TABLE recipes (name TEXT)");
  }
  const std::string before = contents(folder / "other.db");
  const auto [sentence, status] = refusal(folder / "other.db", Mode::read_write);
  CHECK_THAT(sentence, Catch::Contains("not a store of harness"));
  CHECK(status == 2);
  CHECK(contents(folder / "other.db") == before);
}

TEST_CASE("missing folders, missing stores and folders in place of a store are refused") {
  const Folder folder;
  CHECK_THAT(refusal(folder / "no/such/x.db", Mode::read_write).first, Catch::Contains("does not exist"));
  CHECK_THAT(refusal(folder / "none.db", Mode::read_only).first, Catch::Contains("there is no store"));
  CHECK_THAT(refusal(folder.path(), Mode::read_write).first, Catch::Contains("is a folder"));
  CHECK(refusal(folder / "none.db", Mode::read_only).second == 2);
  CHECK_FALSE(std::filesystem::exists(folder / "none.db"));
}

TEST_CASE("a store of another version is refused by name of the version, and left as it was") {
  struct Case {
    int version;
    std::string sentence;
  };
  const auto [version, sentence] =
      GENERATE_COPY(Case{kSchemaVersion + 1, "use the newer harness"}, Case{16, "harness export FILE --db"},
                    Case{5, "harness import FILE --db NEW"}, Case{1, "before the first release"}, Case{0, "is damaged"},
                    Case{-3, "is damaged"});
  const Folder folder;
  const std::string path = folder / "x.db";
  Store::open(path, Mode::read_write)->begin_campaign(a_campaign());
  const auto set_version = [&](int number) {
    SQLite::Database database(path, SQLite::OPEN_READWRITE);
    database.exec(fmt::format("PRAGMA journal_mode = DELETE; PRAGMA user_version = {}", number));
  };
  set_version(version);
  const std::string before = contents(path);
  for (const Mode mode : {Mode::read_write, Mode::read_only}) {
    const auto [refused, status] = refusal(path, mode);
    CHECK_THAT(refused, Catch::Contains(fmt::format("schema version {}", version)) && Catch::Contains(sentence));
    CHECK(status == 2);
    CHECK(contents(path) == before);
  }
  set_version(kSchemaVersion);
  CHECK(Store::open(path, Mode::read_only)->campaign(1).device_name == "NVIDIA H200");
}

TEST_CASE("the version of a store's schema is none that programs before the first release wrote") {
  CHECK(kSchemaVersion > 100);
  CHECK(kLastUnreleased < 100);
}

TEST_CASE("a store that another process holds is waited for, then refused") {
  const Folder folder;
  Store::open(folder / "x.db", Mode::read_write);
  SQLite::Database other(folder / "x.db", SQLite::OPEN_READWRITE);
  other.exec("BEGIN IMMEDIATE");
  Store store(Connection::open(folder / "x.db", Mode::read_write, 50));
  try {
    store.begin_campaign(a_campaign());
    FAIL("it was not locked");
  } catch (const Error& error) {
    CHECK_THAT(error.what(), Catch::Contains("locked by another process"));
    CHECK(error.exit_status() == 3);
  }
  CHECK(history(store, {}).empty());  // reading goes on
  other.exec("COMMIT");
  CHECK(store.begin_campaign(a_campaign()) == 1);
}

TEST_CASE("a store that is removed or replaced while it is open is written to no more") {
  for (const bool replaced : {false, true}) {
    const Folder folder;
    const std::string path = folder / "x.db";
    Store store(Connection::open(path, Mode::read_write));
    CHECK(store.begin_campaign(a_campaign()) == 1);
    for (const char* part : {"", "-wal", "-shm"}) std::rename((path + part).c_str(), (path + ".away" + part).c_str());
    if (replaced) Connection::open(path, Mode::read_write);
    try {
      store.begin_campaign(a_campaign());
      FAIL("it was written to");
    } catch (const Error& error) {
      CHECK_THAT(error.what(), Catch::Contains("was removed or replaced"));
      CHECK(error.exit_status() == 3);
    }
  }
}

TEST_CASE("a full disk loses nothing that was recorded") {
  const Folder folder;
  auto store = Store::open(folder / "x.db", Mode::read_write);
  const auto campaign = store->begin_campaign(a_campaign());
  record(*store, an_attempt(campaign, 1), passed(100));
  value(*store, "PRAGMA max_page_count = 1");  // SQLite keeps the present size as the least
  try {
    for (int block = 2; block < 1000; ++block) record(*store, an_attempt(campaign, block), passed(100));
    FAIL("it was not full");
  } catch (const Error& error) {
    CHECK_THAT(error.what(), Catch::Contains("is full"));
    CHECK(error.exit_status() == 3);
  }
  const auto orphans = store->orphans(campaign).size();
  value(*store, "PRAGMA max_page_count = 1000000");
  const auto recorded = store->iterations(campaign).size();
  CHECK(recorded >= 1);
  CHECK(orphans <= 1);
  CHECK(value(*store, "SELECT sum(iterations) FROM rollup_arm") == recorded);
  CHECK(value(*store, "SELECT count(DISTINCT iteration) FROM gate_result") == recorded);
  record(*store, an_attempt(campaign, 1000), passed(100));
}

TEST_CASE("a read-only file is refused for writing and read all the same") {
  const Folder folder;
  const std::string path = folder / "x.db";
  Store::open(path, Mode::read_write)->begin_campaign(a_campaign());
  chmod(path.c_str(), 0444);
  chmod(folder.path().c_str(), 0555);
  CHECK(unprivileged([&] {
          const auto [sentence, status] = refusal(path, Mode::read_write);
          return sentence.find("is read-only") != std::string::npos ? status : 50;
        }) == 3);
  CHECK(unprivileged(
            [&] { return static_cast<int>(Store::open(path, Mode::read_only)->campaign(1).kernels.size()); }) == 1);
  chmod(folder.path().c_str(), 0755);
}

TEST_CASE("network file systems are known by their number, local ones are not refused") {
  CHECK(network_file_system(0x6969UL) == "NFS");
  CHECK(network_file_system(0xff534d42UL) == "CIFS");
  CHECK_FALSE(network_file_system(0xef53UL));      // ext4
  CHECK_FALSE(network_file_system(0x01021994UL));  // tmpfs
  CHECK_FALSE(network_file_system(0x794c7630UL));  // overlayfs
}
