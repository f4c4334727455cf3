#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "tests/store/history.h"

using namespace harness;
using namespace harness::store;
using namespace harness::store::test;

namespace {

constexpr const char* kOldest = "CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('kept');";
constexpr const char* kNewest = "CREATE TABLE note (text TEXT, author TEXT, stars INTEGER);";
constexpr Migration kSteps[] = {"ALTER TABLE note ADD COLUMN author TEXT",
                                "ALTER TABLE note ADD COLUMN stars INTEGER; UPDATE note SET stars = 3"};
constexpr Migration kBroken[] = {"ALTER TABLE note ADD COLUMN author TEXT", "ALTER TABLE nothing ADD COLUMN x"};

const Schema kVersion1{kOldest, {}};
const Schema kVersion3{kNewest, kSteps};

int version(Connection& connection) {
  return connection.database().execAndGet("PRAGMA user_version").getInt();
}

}  // namespace

TEST_CASE("an older store goes through every step and keeps its rows") {
  const Folder folder;
  const Mode mode = GENERATE(Mode::read_write, Mode::read_only);
  {
    CHECK(version(*std::make_unique<Connection>(
              Connection::open(folder / "x.db", Mode::read_write, 1000, kVersion1))) == 1);
  }
  Connection connection = Connection::open(folder / "x.db", mode, 1000, kVersion3);
  CHECK(version(connection) == 3);
  Query query(connection, "SELECT text, author, stars FROM note");
  REQUIRE(query.next());
  CHECK(query.text(0) == "kept");
  CHECK(query.null(1));
  CHECK(query.integer(2) == 3);
}

TEST_CASE("a new store has the newest schema at once") {
  const Folder folder;
  Connection connection = Connection::open(folder / "x.db", Mode::read_write, 1000, kVersion3);
  CHECK(version(connection) == 3);
  CHECK_FALSE(Query(connection, "SELECT stars FROM note").next());
}

TEST_CASE("a step that fails leaves the store as it was") {
  const Folder folder;
  Connection::open(folder / "x.db", Mode::read_write, 1000, kVersion1);
  CHECK_THROWS_AS(Connection::open(folder / "x.db", Mode::read_write, 1000, Schema{kNewest, kBroken}), Error);
  Connection connection = Connection::open(folder / "x.db", Mode::read_write, 1000, kVersion1);
  CHECK(version(connection) == 1);
  CHECK(Query(connection, "SELECT * FROM note").columns() == 1);
}
