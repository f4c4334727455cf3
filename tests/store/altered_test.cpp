#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>

#include "harness/core/error.h"
#include "harness/store/history.h"
#include "tests/store/recorded.h"

// Files of strangers: what they declare runs in this program.
using namespace harness;
using namespace harness::store;
using namespace harness::store::test;

namespace {

std::string refused_as(const std::string& path, Mode mode) {
  try {
    Connection::open(path, mode);
  } catch (const Error& error) {
    const bool damaged = std::string(error.what()).find("is damaged (") != std::string::npos;  // SQLite was faster
    CHECK(error.exit_status() == (damaged ? 3 : 2));
    return error.what();
  }
  return "";
}

std::string bytes_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A store of this version with one campaign and one iteration, closed again.
std::string a_store(const Folder& folder) {
  const std::string path = folder / "x.db";
  auto store = Store::open(path, Mode::read_write);
  record(*store, an_attempt(store->begin_campaign(a_campaign())), passed(100), true);
  return path;
}

/// What a stranger does to the file; no log of SQLite stays beside it.
void alter(const std::string& path, const std::string& sql) {
  SQLite::Database database(path, SQLite::OPEN_READWRITE);
  database.exec("PRAGMA journal_mode = DELETE; PRAGMA foreign_keys = OFF;" + sql);
}

}  // namespace

TEST_CASE("a store that declares anything else than its version does is refused by name, and left as it is") {
  struct Alteration {
    const char* sql;
    const char* named;
  };
  const std::vector<Alteration> alterations = {
      {"CREATE TRIGGER t AFTER INSERT ON iteration BEGIN UPDATE iteration SET outcome = 'passed' WHERE id = NEW.id; "
       "END",
       "has the trigger 't'"},
      {"CREATE TRIGGER iteration AFTER INSERT ON iteration BEGIN DELETE FROM gate_result; END",  // named like a table
       "has the trigger 'iteration'"},
      {"DROP VIEW v_best; CREATE VIEW v_best AS SELECT 'attention' AS kernel, 1.0 AS time_ns", "the view 'v_best'"},
      {"DROP VIEW v_best; CREATE TABLE v_best (kernel TEXT)", "has the table 'v_best'"},
      {"DROP TRIGGER iteration_refutes", "lacks the trigger 'iteration_refutes'"},
      {"DROP TRIGGER iteration_refutes; CREATE TRIGGER iteration_refutes AFTER INSERT ON iteration BEGIN SELECT 1; END",
       "the trigger 'iteration_refutes'"},
      {"DROP INDEX iteration_rivals", "lacks the index 'iteration_rivals'"},
      {"CREATE INDEX extra ON iteration(lower(kernel))", "has the index 'extra'"},
      {"CREATE TABLE more (x)", "has the table 'more'"},
      {"ALTER TABLE campaign ADD COLUMN more TEXT", "the table 'campaign'"},
      {"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE "
       "name = 'charge') WHERE name = 'admission'",
       "in one place"},
      {"PRAGMA writable_schema = ON; INSERT INTO sqlite_schema SELECT * FROM sqlite_schema WHERE name = 'v_costs'",
       "the view 'v_costs'"},
  };
  for (const Alteration& alteration : alterations) {
    const Folder folder;
    const std::string path = a_store(folder);
    alter(path, alteration.sql);
    const std::string before = bytes_of(path);
    for (const Mode mode : {Mode::read_write, Mode::read_only}) {
      INFO(alteration.sql);
      const std::string sentence = refused_as(path, mode);
      INFO(sentence);
      const bool damaged = sentence.find("is damaged (") != std::string::npos;
      CHECK((damaged || sentence.find(alteration.named) != std::string::npos));
      CHECK(bytes_of(path) == before);
    }
  }
}

TEST_CASE("comments, blanks and statistics alter nothing") {
  const Folder folder;
  const std::string path = a_store(folder);
  alter(path,
        "DROP INDEX decision_by_campaign; CREATE INDEX decision_by_campaign /* mine */ ON\n decision ( campaign );"
        "ANALYZE");
  CHECK(refused_as(path, Mode::read_write) == "");
  CHECK(refused_as(path, Mode::read_only) == "");
}

TEST_CASE("versions that no harness writes are named as they are") {
  for (const int version : {0, -1, -2147483647, 17, 100}) {
    const Folder folder;
    const std::string path = a_store(folder);
    alter(path, "PRAGMA user_version = " + std::to_string(version));
    for (const Mode mode : {Mode::read_write, Mode::read_only})
      CHECK_THAT(refused_as(path, mode),
                 Catch::Contains("schema version " + std::to_string(version) + ", which no harness"));
  }
}

TEST_CASE("texts of 50 MB do not stall what lists many rows") {
  const Folder folder;
  const std::string path = a_store(folder);
  alter(path,
        "UPDATE iteration SET error_message = hex(zeroblob(25000000)), kernel = hex(zeroblob(25000000));"
        "UPDATE candidate SET config = hex(zeroblob(25000000)), variant = hex(zeroblob(25000000))");
  auto store = Store::open(path, Mode::read_only);
  const auto begun = std::chrono::steady_clock::now();
  const json row = history(*store, {})[0];
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(5));
  for (const char* column : {"error_message", "kernel", "config", "variant"}) {
    const std::string text = row[column];
    CHECK(text.size() < 5000);
    CHECK(text.ends_with("(50000000 bytes)"));
  }
  CHECK(json_text(best(*store)).size() < 50000);
}

TEST_CASE("a row beyond every bound is a sentence") {
  const Folder folder;
  const std::string path = a_store(folder);
  alter(path, "UPDATE iteration SET error_message = hex(zeroblob(140000000))");
  auto store = Store::open(path, Mode::read_only);
  CHECK_THROWS_WITH(history(*store, {}), Catch::Contains("more than 256 MB"));
}
