#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "tests/store/recorded.h"

using namespace harness;
using namespace harness::store;
using namespace harness::store::test;

namespace {

constexpr const char* kOldest = "CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('kept');";
constexpr const char* kNewest = "CREATE TABLE note (text TEXT, author TEXT, stars INTEGER);";
constexpr Migration kSteps[] = {"ALTER TABLE note ADD COLUMN author TEXT",
                                "ALTER TABLE note ADD COLUMN stars INTEGER; UPDATE note SET stars = 3"};
constexpr Migration kBroken[] = {"ALTER TABLE note ADD COLUMN author TEXT", "ALTER TABLE nothing ADD COLUMN x"};

const Schema kVersion1{kOldest, 1, {}};
const Schema kVersion3{kNewest, 1, kSteps};

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
  Statement query(connection, "SELECT text, author, stars FROM note");
  REQUIRE(query.next());
  CHECK(query.text(0) == "kept");
  CHECK(query.null(1));
  CHECK(query.integer(2) == 3);
}

TEST_CASE("a new store has the newest schema at once") {
  const Folder folder;
  Connection connection = Connection::open(folder / "x.db", Mode::read_write, 1000, kVersion3);
  CHECK(version(connection) == 3);
  CHECK_FALSE(Statement(connection, "SELECT stars FROM note").next());
}

TEST_CASE("a step that fails leaves the store as it was") {
  const Folder folder;
  Connection::open(folder / "x.db", Mode::read_write, 1000, kVersion1);
  CHECK_THROWS_AS(Connection::open(folder / "x.db", Mode::read_write, 1000, Schema{kNewest, 1, kBroken}), Error);
  Connection connection = Connection::open(folder / "x.db", Mode::read_write, 1000, kVersion1);
  CHECK(version(connection) == 1);
  CHECK(Statement(connection, "SELECT * FROM note").columns() == 1);
}

TEST_CASE("steps count from the oldest version that is still read") {
  const Folder folder;
  const Schema version7{kOldest, 7, {}}, version9{kNewest, 7, kSteps}, version9_only{kNewest, 9, {}};
  CHECK(version9.version() == 9);
  Connection::open(folder / "x.db", Mode::read_write, 1000, version7);
  CHECK_THROWS_WITH(Connection::open(folder / "x.db", Mode::read_write, 1000, version9_only),
                    Catch::Contains("version 7") && Catch::Contains("from 9 on") && Catch::Contains("older harness"));
  Connection connection = Connection::open(folder / "x.db", Mode::read_write, 1000, version9);
  CHECK(version(connection) == 9);
  CHECK(Statement(connection, "SELECT * FROM note").columns() == 3);
}

namespace {

// Is what `statement` creates dropped by one of the steps behind `step`?
bool dropped_later(const Schema& schema, std::size_t step, const std::string& statement) {
  const std::size_t kind = statement.find(' ') + 1, name = statement.find(' ', kind) + 1;
  const std::string drop = "DROP " + statement.substr(kind, statement.find(' ', name) - kind) + ";";
  return std::any_of(schema.steps.begin() + static_cast<std::ptrdiff_t>(step) + 1, schema.steps.end(),
                     [&](const char* later) { return std::string(later).find(drop) != std::string::npos; });
}

// What a step creates is written down twice, there and in the schema of a new store.
std::vector<std::string> missing_in_new_stores(const Schema& schema) {
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < schema.steps.size(); ++i) {
    const std::string step = schema.steps[i];
    for (std::size_t at = step.find("CREATE "); at != std::string::npos; at = step.find("CREATE ", at + 1)) {
      const std::string statement = step.substr(at, step.find("\n\n", at) - at);
      const bool there = std::string(schema.create).find(statement) != std::string::npos;
      if (!there && !dropped_later(schema, i, statement)) missing.push_back(statement);
    }
  }
  return missing;
}

}  // namespace

TEST_CASE("a migrated store has the schema of a new one") {
  CHECK(missing_in_new_stores(current_schema()) == std::vector<std::string>{});
  constexpr Migration forgotten[] = {"CREATE INDEX note_by_text ON note(text);"};
  CHECK(missing_in_new_stores({kNewest, 1, forgotten}).size() == 1);
}

TEST_CASE("a store of the oldest version takes the outcomes of today") {
  const Folder folder;
  const Schema& now = current_schema();
  Connection::open(folder / "x.db", Mode::read_write, 1000, {now.oldest, now.first, {}});
  const auto store = Store::open(folder / "x.db", Mode::read_write);
  const auto campaign = store->begin_campaign(a_campaign());
  record(*store, an_attempt(campaign), screened(100));
  CHECK(value(*store, "SELECT outcome FROM iteration") == "screened");
  CHECK_THROWS(store->connection().database().exec("UPDATE sqlite_schema SET sql = sql"));  // defended again
}

// SQLite would refuse only where another process had written since the row was read.
TEST_CASE("no writing transaction begins while rows are read") {
  Connection connection = Connection::in_memory();
  {
    Statement query(connection, "SELECT 1 UNION SELECT 2");
    REQUIRE(query.next());
    CHECK_THROWS_AS(Write(connection), std::logic_error);
  }
  CHECK_NOTHROW(Write(connection));
}
