#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "harness/store/transfer.h"
#include "tests/store/recorded.h"

// Texts that programs from before the first release exported: the way by which their stores come here.
using namespace harness;
using namespace harness::store;
using namespace harness::store::test;

namespace {

std::vector<json> lines_of(std::istream& text) {
  std::vector<json> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(parse_json(line));
  return lines;
}

/// The keys of `earlier` that `now` has not with the same value.
std::vector<std::string> lost(const json& earlier, const json& now) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : earlier.items())
    if (now.value(key, json("absent")) != value) keys.push_back(key);
  return keys;
}

}  // namespace

TEST_CASE("an export of an earlier program comes back out of a store as it went in") {
  // Of the schemas 8, 9 and 15; between the last two and 16 no line changed.
  const std::string file =
      GENERATE("tests/fixtures/packaged/paged_gather.jsonl", "tests/fixtures/proposed_earlier.jsonl",
               "bench/h200/agent_dot.jsonl", "bench/h200/agent_row_softmax.jsonl");
  INFO(file);
  std::ifstream earlier_text(std::string(HARNESS_SOURCE_DIR) + "/" + file);
  auto store = Store::in_memory();
  CHECK(import_store(*store, std::string(HARNESS_SOURCE_DIR) + "/" + file).whole);
  std::stringstream text;
  export_store(*store, text);
  const std::vector<json> earlier = lines_of(earlier_text), now = lines_of(text);
  REQUIRE(earlier.size() == now.size());
  for (std::size_t line = 1; line + 1 < earlier.size(); ++line) {
    INFO(line);
    CHECK(lost(earlier[line], now[line]) == std::vector<std::string>{});
  }
}
