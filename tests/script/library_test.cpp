#include "harness/script/library.h"

#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "tests/script/strategy_fixture.h"

using namespace harness;
using namespace harness::script::fixture;

TEST_CASE("the shipped folder lists strategies, rules and searches with what they do") {
  const auto entries = script::Library({kShipped}).list();
  std::vector<std::string> names;
  for (const json& entry : entries) {
    names.push_back(entry["kind"].get<std::string>() + " " + entry["name"].get<std::string>() + " " +
                    entry["file"].get<std::string>());
    CHECK(!entry["summary"].get<std::string>().empty());
    CHECK(!entry.contains("error"));
  }
  CHECK(names == std::vector<std::string>{
                     "strategy exhaustive strategies/exhaustive.lua", "strategy roi strategies/roi.lua",
                     "rule enough strategies/rules/enough.lua", "rule plateau strategies/rules/plateau.lua",
                     "rule start-simple strategies/rules/start-simple.lua",
                     "rule time-overrun strategies/rules/time-overrun.lua",
                     "search exhaustive strategies/search/exhaustive.lua",
                     "search hillclimb strategies/search/hillclimb.lua", "search random strategies/search/random.lua"});
}

TEST_CASE("an unknown name is refused with the nearest known one") {
  script::Library library({kShipped});
  CHECK_THROWS_WITH(library.strategy("exhaustiv"),
                    Catch::Contains("unknown strategy 'exhaustiv'; did you mean 'exhaustive'?"));
  CHECK_THROWS_WITH(library.strategy("bayes"),
                    Catch::Contains("unknown strategy 'bayes'; known are exhaustive, roi (in "));
  CHECK_THROWS_WITH(library.search("hilclimb", {}, 1),
                    Catch::Contains("unknown search 'hilclimb'; did you mean 'hillclimb'?"));
  CHECK_THROWS_WITH(library.strategy("no/such.lua"),
                    "there is no file 'no/such.lua'; give the name or the file of a strategy");
  CHECK_THROWS_AS(library.strategy("../strategies/roi"), Error);
}

TEST_CASE("a script may be given as a file, and uses the rules beside it and the shipped ones") {
  const Folder folder;
  folder.write(
      "own.lua",
      "return rule { name = 'own', effect = 'stop', reason = 'goal', when = function() return 'own rule' end }");
  folder.write("given.lua", "return strategy { rules = { 'rules/plateau', 'own' }, decide = function() end }");
  const std::string file = (folder.path() / "given.lua").string();
  const auto strategy = script::Library({kShipped}).strategy(file);
  CHECK(strategy->identity().name == "given");
  const Decision d = strategy->decide(snapshot({}));
  CHECK(d.why == "own rule");
  CHECK(d.reason == "goal");
}

TEST_CASE("the first folder wins, and a broken file hides no other") {
  const Folder folder;
  folder.write("roi.lua", "return strategy { summary = 'mine', decide = function() end }");
  folder.write("broken.lua", "return stratgy {}");
  const auto entries = folder.library().list();
  REQUIRE(entries.size() == 10);
  CHECK(entries[0]["name"] == "broken");
  CHECK(entries[0]["error"] == "strategies/broken.lua:1: attempt to call a nil value (global 'stratgy')");
  CHECK(entries[2]["name"] == "roi");
  CHECK(entries[2]["summary"] == "mine");
}
