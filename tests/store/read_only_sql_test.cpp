#include "harness/store/read_only_sql.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "harness/core/error.h"
#include "harness/store/schema.h"
#include "tests/store/recorded.h"

using namespace harness;
using namespace harness::store;
using namespace harness::store::test;

namespace {

struct Recorded {
  Folder folder;
  std::string path = folder / "x.db";
  Recorded() {
    auto store = Store::open(path, Mode::read_write);
    random_history(*store, 1, 2, 10);
  }
  std::string refusal(const std::string& sql, const SqlLimits& limits = {}) const {
    try {
      read_only_sql(path, sql, limits);
    } catch (const Error& error) {
      CHECK(error.exit_status() == 2);
      return error.what();
    }
    return "";
  }
};

}  // namespace

TEST_CASE_METHOD(Recorded, "a query answers columns and rows by their types") {
  const SqlAnswer answer =
      read_only_sql(path, "SELECT 1 AS a, 2.5 AS b, 'x' AS c, NULL AS d, x'00ff' AS e, 9e999 AS f; -- done\n");
  CHECK(answer.columns == std::vector<std::string>{"a", "b", "c", "d", "e", "f"});
  CHECK(answer.rows == json::array({{1, 2.5, "x", nullptr, "00ff", nullptr}}));
  CHECK_FALSE(answer.truncated);
  CHECK(read_only_sql(path, "SELECT count(*) FROM v_iterations").rows[0][0] == 20);
}

TEST_CASE_METHOD(Recorded, "every view can be queried, and the schema looked at") {
  for (const char* view : {"v_iterations", "v_best", "v_techniques", "v_costs", "v_decisions"}) {
    INFO(view);
    CHECK(read_only_sql(path, std::string("SELECT * FROM ") + view).columns.size() > 5);
  }
  CHECK(read_only_sql(path, "SELECT name FROM pragma_table_info('iteration')").rows.size() > 30);
  CHECK(read_only_sql(path, "SELECT count(*) FROM sample, json_each(sample.series) WHERE kind = 'rotating_ns'")
            .rows[0][0] > 0);
  CHECK(read_only_sql(path, "PRAGMA table_info(iteration)").rows.size() > 30);
  CHECK(read_only_sql(path, "SELECT sql FROM sqlite_schema").rows.size() > 20);
  CHECK(read_only_sql(
            path, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT sum(i) FROM n")
            .rows[0][0] == 15);
}

TEST_CASE_METHOD(Recorded, "a row limit cuts the answer and says so") {
  CHECK(read_only_sql(path, "SELECT * FROM iteration", {.rows = 3}).rows.size() == 3);
  CHECK(read_only_sql(path, "SELECT * FROM iteration", {.rows = 3}).truncated);
  CHECK_FALSE(read_only_sql(path, "SELECT * FROM iteration", {.rows = 20}).truncated);
}

TEST_CASE_METHOD(Recorded, "whatever would write, attach or load is refused and changes nothing") {
  const std::string outside = folder / "outside.db";
  for (const std::string& sql : {
           std::string("DROP TABLE iteration"),
           std::string("DELETE FROM iteration"),
           std::string("UPDATE iteration SET time_ns = 1"),
           std::string("INSERT INTO source VALUES ('a', 'b')"),
           std::string("REPLACE INTO source VALUES ('a', 'b')"),
           std::string("WITH x AS (SELECT 1) INSERT INTO source SELECT 'a', 'b' FROM x"),
           std::string("WITH x AS (SELECT 1) DELETE FROM iteration"),
           std::string("INSERT INTO source VALUES ('a', 'b') RETURNING hash"),
           std::string("CREATE TABLE t (x)"),
           std::string("CREATE TEMP TABLE t (x)"),
           std::string("CREATE VIEW v AS SELECT 1"),
           std::string("CREATE VIRTUAL TABLE f USING fts5(x)"),
           std::string("ALTER TABLE iteration ADD COLUMN x"),
           std::string("CREATE TEMP TRIGGER t AFTER INSERT ON iteration BEGIN SELECT 1; END"),
           "ATTACH '" + outside + "' AS o",
           std::string("DETACH main"),
           "VACUUM INTO '" + outside + "'",
           std::string("VACUUM"),
           std::string("REINDEX"),
           std::string("ANALYZE"),
           std::string("BEGIN"),
           std::string("BEGIN IMMEDIATE"),
           std::string("COMMIT"),
           std::string("ROLLBACK"),
           std::string("SAVEPOINT s"),
           std::string("PRAGMA writable_schema = ON"),
           std::string("PRAGMA query_only = OFF"),
           std::string("PRAGMA journal_mode = DELETE"),
           std::string("PRAGMA user_version = 7"),
           std::string("PRAGMA wal_checkpoint(TRUNCATE)"),
           std::string("PRAGMA temp_store_directory = '/'"),
           std::string("SELECT * FROM pragma_wal_checkpoint"),
           std::string("SELECT load_extension('/tmp/evil.so')"),
           std::string("SELECT fts3_tokenizer('simple')"),
           std::string("EXPLAIN DROP TABLE iteration"),
           std::string("UPDATE sqlite_schema SET sql = ''"),
           std::string("SELECT * FROM fts3tokenize('x')"),
       }) {
    INFO(sql);
    CHECK_THAT(refusal(sql), Catch::StartsWith("the query "));
  }
  CHECK_FALSE(std::filesystem::exists(outside));
  auto store = Store::open(path, Mode::read_write);
  CHECK(value(*store, "SELECT count(*) FROM iteration") == 20);
  CHECK(value(*store, "PRAGMA user_version") == kSchemaVersion);
  CHECK(value(*store, "PRAGMA integrity_check") == "ok");
}

TEST_CASE_METHOD(Recorded, "more or less than one statement is refused") {
  CHECK_THAT(refusal("SELECT 1; DROP TABLE iteration"), Catch::Contains("one"));
  CHECK_THAT(refusal("SELECT 1; SELECT 2"), Catch::Contains("more than one statement"));
  CHECK_THAT(refusal("SELECT 1; nonsense"), Catch::Contains("more than one statement"));
  CHECK_THAT(refusal(""), Catch::Contains("empty"));
  CHECK_THAT(refusal(" -- nothing\n"), Catch::Contains("empty"));
  CHECK_THAT(refusal(std::string("SELECT 1\0; DROP TABLE iteration", 32)), Catch::Contains("NUL"));
  CHECK_THAT(refusal("SELECT ?"), Catch::Contains("parameters"));
}

TEST_CASE_METHOD(Recorded, "a wrong statement is answered with SQLite's words") {
  CHECK_THAT(refusal("SELECT nonsense FROM iteration"), Catch::Contains("no such column: nonsense"));
  CHECK_THAT(refusal("SELEKT 1"), Catch::Contains("syntax error"));
}

TEST_CASE_METHOD(Recorded, "a query without end is stopped, and one without measure refused") {
  const SqlLimits short_time{.seconds = 0.05};
  CHECK_THAT(
      refusal("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n", short_time),
      Catch::Contains("longer than 0.05 s"));
  CHECK_THAT(
      refusal("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n", {.bytes = 8000}),
      Catch::Contains("larger than"));
  CHECK_THAT(refusal("SELECT length(zeroblob(1000000000))"), Catch::Contains("too big"));
  CHECK_THAT(refusal("SELECT 'a' LIKE printf('%.*c', 1000, '%')"), Catch::Contains("LIKE or GLOB pattern too complex"));
}

TEST_CASE("a store of someone else cannot act through its views") {
  const Folder folder;
  const std::string path = folder / "x.db";
  Store::open(path, Mode::read_write);
  SQLite::Database(path, SQLite::OPEN_READWRITE)
      .exec("DROP VIEW v_best; CREATE VIEW v_best AS SELECT load_extension('/tmp/evil.so') AS kernel");
  CHECK_THROWS_AS(read_only_sql(path, "SELECT * FROM v_best"), Error);
}
