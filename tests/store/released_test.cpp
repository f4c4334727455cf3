#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "harness/store/history.h"
#include "harness/store/integrity.h"
#include "harness/store/schema.h"
#include "tests/store/recorded.h"

// tests/fixtures/stores/VERSION.sql is a store as the program with that schema wrote it (make.py). A change of the
// schema raises kSchemaVersion, brings a step from the version before, and adds a file. Before the first release the
// newest file may be written anew instead.
using namespace harness;
using namespace harness::store;
using namespace harness::store::test;

namespace {

const std::filesystem::path kStores = HARNESS_SOURCE_DIR "/tests/fixtures/stores";

void make_store(const std::filesystem::path& text, const std::string& path) {
  std::ifstream in(text);
  const std::string sql{std::istreambuf_iterator<char>(in), {}};
  SQLite::Database database(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  database.exec(sql);
}

}  // namespace

TEST_CASE("stores of every released schema open whole, and take new rows") {
  CHECK(std::filesystem::exists(kStores / (std::to_string(kSchemaVersion) + ".sql")));
  for (const auto& file : std::filesystem::directory_iterator(kStores)) {
    if (file.path().extension() != ".sql") continue;
    CAPTURE(file.path().filename().string());
    const Folder folder;
    make_store(file.path(), folder / "x.db");
    const auto store = Store::open(folder / "x.db", Mode::read_write);
    CHECK(integrity(*store).empty());
    CHECK(value(*store, "SELECT count(*) FROM v_iterations") == 10);
    CHECK(value(*store, "SELECT outcome FROM v_iterations WHERE iteration = 2") == "passed");
    CHECK(value(*store, "SELECT round(time_ns) FROM v_iterations WHERE iteration = 2") == 1862.0);
    CHECK(value(*store, "SELECT count(*) FROM v_iterations WHERE outcome = 'screened'") == 6);
    CHECK(history(*store, {}).size() == 10);
    const std::int64_t campaign = store->begin_campaign(a_campaign());
    CHECK(campaign == 3);
    CHECK(record(*store, an_attempt(campaign, 1), passed(100)) == 11);
    CHECK(integrity(*store).empty());
  }
}
