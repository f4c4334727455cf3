#include "harness/script/strategy/library.h"

#include <algorithm>
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
  const auto listed = [&](const std::string& entry) {
    return std::find(names.begin(), names.end(), entry) != names.end();
  };
  CHECK(names.front() == "strategy bandit strategies/bandit.lua");
  CHECK(listed("strategy roi strategies/roi.lua"));
  CHECK(listed("rule time-overrun strategies/rules/time-overrun.lua"));
  CHECK(listed("search hillclimb strategies/search/hillclimb.lua"));
  for (const json& entry : entries)
    if (entry["name"] == "time-overrun") CHECK(entry["pattern"] == 17);
}

TEST_CASE("an unknown name is refused with the nearest known one") {
  script::Library library({kShipped});
  CHECK_THROWS_WITH(library.strategy("exhaustiv"),
                    Catch::Contains("unknown strategy 'exhaustiv'; did you mean 'exhaustive'?"));
  CHECK_THROWS_WITH(library.strategy("bayes"),
                    Catch::Contains("unknown strategy 'bayes'; known are bandit, exhaustive, ladder, roi (in "));
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
  CHECK(d.reason == EndReason::goal);
}

TEST_CASE("the first folder wins, and a broken file hides no other") {
  const Folder folder;
  folder.write("roi.lua", "return strategy { summary = 'mine', decide = function() end }");
  folder.write("broken.lua", "return stratgy {}");
  const auto entries = folder.library().list();
  const auto named = [&](const std::string& name) {
    return *std::find_if(entries.begin(), entries.end(), [&](const json& entry) { return entry["name"] == name; });
  };
  CHECK(named("broken")["error"] == "strategies/broken.lua:1: attempt to call a nil value (global 'stratgy')");
  CHECK(named("roi")["summary"] == "mine");
  CHECK(named("ladder")["file"] == "strategies/ladder.lua");
}

TEST_CASE("every shipped script passes its own trial") {
  script::Library library({kShipped});
  for (const json& entry : library.list()) {
    const std::string kind = entry["kind"], name = entry["name"];
    const json report = library.check((kind == "rule" ? "rules/" : kind == "search" ? "search/" : "") + name);
    INFO(json_text(report));
    CHECK(report["kind"] == kind);
    CHECK(report["name"] == name);
    CHECK(!report["tried"].empty());
  }
}

TEST_CASE("a trial finds fields that no snapshot has, on any path that it takes") {
  const Folder folder;
  const auto refusal = [&](const std::string& file, const std::string& text) -> std::string {
    folder.write(file, text);
    try {
      folder.library().check((folder.path() / file).string());
    } catch (const Error& error) {
      const std::string what = error.what();
      return what.substr(what.find(file.substr(file.rfind('/') + 1)));
    }
    return "";
  };
  const std::string end =
      " local arm = campaign.open[1] if not arm then return { action = 'stop', why = 'x' } end"
      " return { action = 'try', arm = arm, why = 'x' } end }";
  const auto of_strategy = [&](const std::string& file, const std::string& line) {
    return refusal(file, "return strategy { decide = function(campaign)\n" + line + end);
  };
  CHECK(of_strategy("budget.lua", "if campaign.budjet_s then end") ==
        "budget.lua:2: there is no field campaign.budjet_s; did you mean 'budget_s'?");
  CHECK(of_strategy("arm.lua", "local a = campaign.arms[1].spend_s") ==
        "arm.lua:2: there is no field campaign.arms[1].spend_s; did you mean 'spent_s'?");
  // A field that may be absent is nil, and using it as if it were not is an error on the emulated device.
  CHECK(of_strategy("price.lua", "local a = campaign.usd_per_hour * 2")
            .starts_with("price.lua:2: attempt to perform arithmetic on a nil value (field 'usd_per_hour')"));
  CHECK(of_strategy("map.lua", "local n = campaign.arms[1].outcomes.crashed or 0").empty());  // any name may be asked
  CHECK(refusal("rules/mine.lua",
                "return rule { name = 'mine', effect = 'close', when = function(c, o, arm)\n"
                "return arm.evaluation > 1 end }") ==
        "mine.lua:2: there is no field campaign.arms[3].evaluation; did you mean 'evaluations'?");
  CHECK(refusal("search/mine.lua", "return search { run = function(space, evaluate)\nevaluate(space.frist) end }")
            .starts_with("mine.lua:2: "));
  CHECK(refusal("nothing.lua", "return 7").starts_with("nothing.lua:1: the file returns a number"));
}
