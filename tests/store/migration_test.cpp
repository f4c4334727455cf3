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

// Everything that version 4 added to a store, taken away again.
constexpr const char* kBackToVersion3 =
    "DROP VIEW v_rivals; DROP INDEX iteration_rivals;"
    "DROP VIEW v_calibration; DROP VIEW v_predictions; DROP VIEW v_decisions;"
    "ALTER TABLE decision DROP COLUMN predict_probability; ALTER TABLE decision DROP COLUMN predict_minutes_lo;"
    "ALTER TABLE decision DROP COLUMN predict_minutes_hi; ALTER TABLE decision DROP COLUMN rule_numbers;"
    "ALTER TABLE decision DROP COLUMN patterns; CREATE VIEW v_decisions AS SELECT id AS decision FROM decision;"
    "PRAGMA user_version = 3";

// And what version 3 added.
constexpr const char* kBackToVersion2 =
    "DROP TABLE admission; DROP TABLE device_peak; DROP INDEX iteration_by_fingerprint;"
    "ALTER TABLE gate_result DROP COLUMN checked; PRAGMA user_version = 2";

TEST_CASE(
    "a store of version 2 takes gates that were not checked, admissions and peaks, and shows only confirmed bests") {
  const Folder folder;
  const std::string path = folder / "x.db";
  {
    auto store = Store::open(path, Mode::read_write);
    const auto campaign = store->begin_campaign(a_campaign());
    record(*store, an_attempt(campaign, 1), passed(100), true);
    record(*store, an_attempt(campaign, 2), passed(50));
    store->connection().database().exec(kBackToVersion3);
    store->connection().database().exec(kBackToVersion2);
  }
  auto store = Store::open(path, Mode::read_write);
  CHECK(value(*store, "SELECT count(*) FROM gate_result WHERE checked = 0") == 0);
  CHECK(value(*store, "SELECT time_ns FROM v_best") == 100);
  store->record_admission({.kernel = "k", .device_name = "d", .hash = "h", .passed = true});
  CHECK(store->admission("h", "d"));
  CHECK_FALSE(store->admission("h", "another device"));
}

TEST_CASE("a store of version 3 keeps its decisions and takes minutes, a rule's numbers and patterns") {
  const Folder folder;
  const std::string path = folder / "x.db";
  {
    auto store = Store::open(path, Mode::read_write);
    const auto campaign = store->begin_campaign(a_campaign());
    store->record_decision(campaign, a_decision(), std::nullopt, {"roi", "5e1f"}, 7, 0.01);
    store->connection().database().exec(kBackToVersion3);
  }
  auto store = Store::open(path, Mode::read_write);
  Decision decision = a_decision("split-kv");
  decision.predict.probability = 0.5;
  decision.predict.minutes_lo = 1;
  decision.predict.minutes_hi = 3;
  decision.rule = "time-overrun";
  decision.rule_numbers = {{"spent_min", 31.5}};
  decision.patterns = {16, 17};
  store->record_decision(1, decision, std::nullopt, {"roi", "5e1f"}, 8, 0.01);
  const auto decisions = store->decisions(1);
  REQUIRE(decisions.size() == 2);
  CHECK_FALSE(decisions[0].decision.predict.minutes_lo);
  CHECK(decisions[0].decision.rule_numbers.is_null());
  CHECK(decisions[0].decision.patterns.empty());
  CHECK(decisions[1].decision.predict.probability == 0.5);
  CHECK(decisions[1].decision.predict.minutes_hi == 3);
  CHECK(decisions[1].decision.rule_numbers == parse_json(R"({"spent_min":31.5})"));
  CHECK(decisions[1].decision.patterns == std::vector<std::int64_t>{16, 17});
  CHECK(value(*store, "SELECT count(*) FROM v_decisions WHERE patterns = '[16,17]'") == 1);
}

TEST_CASE("a store of version 4 takes rivals") {
  const Folder folder;
  const std::string path = folder / "x.db";
  {
    auto store = Store::open(path, Mode::read_write);
    AttemptRecord attempt = an_attempt(store->begin_campaign(a_campaign()));
    attempt.purpose = Purpose::rival;
    record(*store, attempt, passed(60));
    store->connection().database().exec("DROP VIEW v_rivals; DROP INDEX iteration_rivals; PRAGMA user_version = 4");
  }
  auto store = Store::open(path, Mode::read_write);
  CHECK(value(*store, "SELECT rival_ns FROM v_rivals") == 60);
}

TEST_CASE("a store of version 1 gets the sums of version 2") {
  const Folder folder;
  const std::string path = folder / "x.db";
  const char* sums =
      "SELECT device_name, stage, round(seconds, 6), round(usd, 9) FROM rollup_device_cost ORDER BY 1, 2, kernel, "
      "technique";
  const char* counts = "SELECT * FROM rollup_device_technique ORDER BY 1, 2, 3";
  std::string before_sums, before_counts;
  {
    auto store = Store::open(path, Mode::read_write);
    random_history(*store, 5, 3, 30);
    before_sums = rows(*store, sums);
    before_counts = rows(*store, counts);
    store->connection().database().exec(kBackToVersion3);
    store->connection().database().exec(kBackToVersion2);
    store->connection().database().exec(
        "DROP TRIGGER cost_adds_to_device; DROP TRIGGER further_cost_adds_to_device; DROP TRIGGER arm_adds_to_device;"
        "DROP TRIGGER arm_grows_on_device; DROP TABLE rollup_device_cost; DROP TABLE rollup_device_technique;"
        "PRAGMA user_version = 1");
  }
  auto store = Store::open(path, Mode::read_write);
  CHECK(rows(*store, sums) == before_sums);
  CHECK(rows(*store, counts) == before_counts);
  record(*store, an_attempt(store->begin_campaign(a_campaign("a new GPU"))), passed(1));
  CHECK(value(*store, "SELECT passed FROM rollup_device_technique WHERE device_name = 'a new GPU'") == 1);
}

TEST_CASE("a migrated store has the schema of a new one") {
  // What a step creates is written down twice, there and in schema.sql.
  const std::string create = current_schema().create;
  for (const std::string step : current_schema().steps)
    for (std::size_t at = step.find("CREATE "); at != std::string::npos; at = step.find("CREATE ", at + 1)) {
      const std::string statement = step.substr(at, step.find("\n\n", at) - at);
      INFO(statement);
      CHECK(create.find(statement) != std::string::npos);
    }
}
