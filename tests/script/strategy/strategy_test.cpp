#include "harness/script/strategy/strategy.h"

#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "tests/script/strategy_fixture.h"

using namespace harness;
using namespace harness::script::fixture;

namespace {

Decision decide(const std::string& body, const Snapshot& s, const std::string& before = "",
                const std::string& rules = "") {
  const Folder folder;
  folder.write("mine.lua",
               before + "return strategy { rules = {" + rules + "}, decide = function(campaign)\n" + body + "\nend }");
  return folder.library().strategy("mine")->decide(s);
}

std::string refusal(const std::string& body, const Snapshot& s = snapshot({arm("tiling", 1, 2, 0.8, 10)})) {
  try {
    decide(body, s);
  } catch (const Error& error) {
    CHECK(error.kind() == Error::Kind::bad_input);
    return error.what();
  }
  return "";
}

std::string load_refusal(const std::string& text) {
  const Folder folder;
  folder.write("mine.lua", text);
  try {
    folder.library().strategy("mine");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

constexpr const char* kTryFirst = "return { action = 'try', arm = campaign.open[1], why = 'first' }";

}  // namespace

TEST_CASE("a strategy sees every field of the snapshot") {
  Snapshot s = snapshot({arm("tiling", 1.5, 2, 0.8, 10), arm("split-kv", 2, 4, 0.5, 20)});
  evaluate(s.arms[0], {1.2, 1.4}, 1);
  s.current = s.arms[0].id;
  s.goal_speedup = 3;
  s.recent_outcomes = {"passed", "wrong_answer"};
  const Decision d = decide(R"(
    assert(campaign.current == campaign.arms[1] and campaign.open[2] == campaign.arms[2])
    local a = campaign.arms[1]
    assert(a.name == "k/w/tiling" and a.kernel == "k" and a.technique == "tiling" and a.passed == 2)
    assert(a.gains[2] == 1.4 and a.outcomes.wrong_answer == 1 and a.prior.speedup_lo == 1.5 and a.cost_factor == 1)
    assert(campaign.budget_s == 1800 and campaign.goal_speedup == 3 and campaign.max_cost_usd == nil)
    assert(campaign.now_unix == 1750000000 and campaign.recent_outcomes[2] == "wrong_answer")
    assert(campaign.workloads[1].baseline_ns == 1000)
    return { action = "try", kernel = "k", workload = "w", technique = "split-kv", why = "because",
             predict = { speedup = { 2, 3 }, evaluations = 7 }, table = { { arm = "x", score = 1.5 } } })",
                            s);
  CHECK(d.action == Action::try_arm);
  CHECK(d.arm == ArmId{"k", "w", "split-kv"});
  CHECK(d.why == "because");
  CHECK(!d.rule);
  CHECK(d.predict.speedup_hi == 3);
  CHECK(d.predict.evaluations == 7);
  CHECK(d.table == parse_json(R"([{"arm":"x","score":1.5}])"));
}

TEST_CASE("the snapshot cannot be changed") {
  CHECK(refusal("campaign.arms[1].spent_s = 0") == "strategies/mine.lua:2: campaign.arms[1].spent_s is read-only");
  CHECK(refusal("campaign.open[1] = nil") == "strategies/mine.lua:2: campaign.open[1] is read-only");
}

TEST_CASE("a strategy is given what it remembered, and remembers what it is told to") {
  Snapshot s = snapshot({arm("tiling", 1.5, 2, 0.8, 10)});
  const std::string remembering = R"(
    local count = (campaign.memory.count or 0) + 1
    local best = campaign.memory.best or {}
    return { action = "try", arm = campaign.open[1], why = "x",
             memory = { count = count, best = { best[1] or campaign.open[1].technique, best[2] } } })";
  Decision d = decide(remembering, s);
  CHECK(d.memory == json{{"count", 1}, {"best", {"tiling"}}});
  s.memory = d.memory;
  d = decide(remembering, s);
  CHECK(d.memory == json{{"count", 2}, {"best", {"tiling"}}});
  CHECK(decide(kTryFirst, s).memory.is_null());
  CHECK(decide("return { action = 'try', arm = campaign.open[1], why = 'x', memory = {} }", s).memory ==
        json::object());
  CHECK(refusal("return { action = 'try', arm = campaign.open[1], why = 'x', memory = 3 }").find("memory") !=
        std::string::npos);
  CHECK(refusal("campaign.memory.count = 3", s) == "strategies/mine.lua:2: campaign.memory.count is read-only");
}

TEST_CASE("without a prediction the arm's prior is the prediction") {
  const Decision d = decide(kTryFirst, snapshot({arm("tiling", 1.5, 2.5, 0.8, 10)}));
  CHECK(d.predict.speedup_lo == 1.5);
  CHECK(d.predict.speedup_hi == 2.5);
  CHECK(d.predict.evaluations == 10);
}

TEST_CASE("a decision that makes no sense is refused with file, line and the nearest known name") {
  const std::string at = "strategies/mine.lua:1: ";
  CHECK(refusal("return nil") == at + "the decision is a nil, not a table");
  CHECK(refusal("return { action = 'tri', why = 'x' }") ==
        at + "unknown action 'tri'; use try, confirm, close, stop, propose; did you mean 'try'?");
  CHECK(refusal("return { action = 'try', arm = campaign.arms[1], why = '' }") ==
        at + "the decision needs a reason in words: why = \"...\"");
  CHECK(refusal("return { action = 'stop', whi = 'x' }") ==
        at + "unknown field 'whi' of the decision; did you mean 'why'?");
  CHECK(refusal("return { action = 'stop', why = 1 }") ==
        at + "the field 'why' of the decision is a number, not a string");
  CHECK(refusal("return { action = 'stop', why = 'x', reason = 'gaol' }").find("did you mean 'goal'?") !=
        std::string::npos);
  CHECK(refusal("return { action = 'try', kernel = 'k', workload = 'w', technique = 'tilling', why = 'x' }") ==
        at + "decide chose the arm 'k/w/tilling', which is not in campaign.arms; did you mean 'k/w/tiling'?");
  CHECK(refusal("return { action = 'try', arm = campaign.arms[1], why = 'x', predict = { speedup = { 3, 2 } } }") ==
        at + "predict.speedup is not { low, high } with low <= high");
  CHECK(refusal("return { action = 'try', arm = {}, why = 'x' }") ==
        at + "decide named an arm without a kernel; take the arm from campaign.open");
  CHECK(refusal("return { action = 'try', why = 'x' }") ==
        at + "decide named an arm without a kernel; take the arm from campaign.open");
  ArmState closed = arm("tiling", 1, 2, 0.8, 10);
  closed.closed = true;
  CHECK(refusal("return { action = 'try', arm = campaign.arms[1], why = 'x' }", snapshot({closed})) ==
        at + "decide chose the arm 'k/w/tiling', which is closed; choose from campaign.open");
}

TEST_CASE("errors while loading and deciding name file and line") {
  CHECK(refusal("local x = campaign.nothing.more") ==
        "strategies/mine.lua:2: attempt to index a nil value (field 'nothing')");
  for (const char* absent : {"io.open('x')", "require('x')", "os.time()", "dofile('x')"}) {
    INFO(absent);
    CHECK_THAT(refusal(absent), Catch::Contains("the sandbox has no '"));
  }
  CHECK_THAT(load_refusal("return strategy { rules = { options = { times = 3 } }, decide = print }"),
             Catch::Contains("'options' stands beside the rules"));
  // Which limit comes first depends on the machine.
  CHECK(refusal("while true do end").starts_with("strategies/mine.lua:2: exceeded its "));
  CHECK(load_refusal("\nlocal = 1") == "strategies/mine.lua:2: <name> expected near '='");
  CHECK(load_refusal("return 1") ==
        "strategies/mine.lua:1: the file returns a number; end it with return strategy { ... }");
  CHECK(load_refusal("") == "strategies/mine.lua:1: the file returns nothing; end it with return strategy { ... }");
  CHECK(load_refusal("return search { run = print }") ==
        "strategies/mine.lua:1: the file returns a search; end it with return strategy { ... }");
  CHECK(load_refusal("\nreturn strategy { decid = print }") ==
        "strategies/mine.lua:2: unknown field 'decid' of a strategy; did you mean 'decide'?");
  CHECK(load_refusal("return strategy {}") ==
        "strategies/mine.lua:1: a strategy needs decide = function(campaign) ... end");
  CHECK(load_refusal("return strategy { decide = print, rules = { 'rules/platau' } }")
            .find("did you mean 'rules/plateau'?") != std::string::npos);
  CHECK(load_refusal(
            "return strategy { decide = print, rules = { { 'rules/plateau', options = { evaluation = 3 } } } }") ==
        "strategies/mine.lua:1: unknown option 'evaluation' of the rule 'plateau'; did you mean 'evaluations'?");
}

TEST_CASE("a decision depends on the snapshot alone") {
  const Folder folder;
  folder.write(
      "mine.lua",
      "local calls = 0\nreturn strategy { decide = function(campaign)\n calls = calls + 1\n print('call', calls)\n"
      "return { action = 'stop', why = calls .. ' ' .. math.random(1 << 40) } end }");
  auto library = folder.library();
  auto strategy = library.strategy("mine");
  Snapshot s = snapshot({arm("tiling", 1, 2, 0.8, 10)});
  const std::string first = strategy->decide(s).why;
  CHECK(first.substr(0, 2) == "1 ");
  CHECK(strategy->decide(s).why == first);
  CHECK(library.strategy("mine")->decide(s).why == first);
  CHECK(dynamic_cast<script::LuaStrategy&>(*strategy).messages() == std::vector<std::string>{"call\t1"});
  s.iterations = 1;
  CHECK(strategy->decide(s).why != first);
  s.iterations = 0;
  s.seed = 2;
  CHECK(strategy->decide(s).why != first);
}

TEST_CASE("the identity covers the files that a strategy uses, and editing a file does not reach a running one") {
  const Folder folder;
  folder.write("shared.lua", "return 'one'");
  folder.write("mine.lua",
               "local s = use('shared') return strategy { name = 'my own', decide = function() return { action = "
               "'stop', why = s } end }");
  auto library = folder.library();
  auto strategy = library.strategy("mine");
  CHECK(strategy->identity().name == "my own");
  CHECK(strategy->identity().hash == library.strategy("mine")->identity().hash);
  folder.write("shared.lua", "return 'two'");
  CHECK(strategy->decide(snapshot({})).why == "one");
  CHECK(library.strategy("mine")->decide(snapshot({})).why == "two");
  CHECK(library.strategy("mine")->identity().hash != strategy->identity().hash);
}

TEST_CASE("use reaches nothing outside the strategy folders") {
  const Folder folder;
  std::ofstream(folder.path().parent_path() / "secret.lua") << "return 'secret'";
  std::filesystem::create_symlink(folder.path().parent_path() / "secret.lua", folder.path() / "link.lua");
  for (const char* name :
       {"../secret", "link", "rules/../../secret", "/etc/passwd", "", ".", "rules//plateau", "a\\0b"}) {
    CAPTURE(name);
    CHECK(load_refusal("").size() > 0);
    folder.write("mine.lua", std::string("use('") + name + "')");
    CHECK_THROWS_WITH(folder.library().strategy("mine"), Catch::Contains("strategies/mine.lua:1: there is no '"));
  }
  folder.write("a.lua", "return use('a')");
  CHECK_THROWS_WITH(folder.library().strategy("a"), Catch::Contains("'a' uses itself"));
  CHECK(refusal("use('rules/plateau')").find("strategies/mine.lua:2: use(\"rules/plateau\") while deciding") == 0);
}

TEST_CASE("rules are asked in order and the first with a reason wins") {
  Snapshot s = snapshot({arm("tiling", 1, 2, 0.8, 10), arm("split-kv", 1, 2, 0.8, 10)});
  s.current = s.arms[0].id;
  const std::string rules =
      "local function says(name, effect, why) return rule { name = name, effect = effect, when = function() return why "
      "end } end\n";
  Decision d =
      decide(kTryFirst, s, rules, "says('a', 'close'), says('b', 'close', 'no use'), says('c', 'stop', 'late')");
  CHECK(d.action == Action::close);
  CHECK(d.arm == s.arms[0].id);
  CHECK(d.rule == "b");
  CHECK(d.why == "no use");
  d = decide(kTryFirst, s, rules, "says('c', 'stop', 'late')");
  CHECK(d.action == Action::stop);
  CHECK(d.reason == EndReason::strategy);
  d = decide(kTryFirst, s, rules, "says('p', 'pivot', 'enough of this')");
  CHECK(d.action == Action::try_arm);
  CHECK(d.arm == s.arms[1].id);
  CHECK(d.rule == "p");
  CHECK(d.why == "enough of this; first");
}

TEST_CASE("a pivot leaves an arm only when there is another, and forbids to return at once") {
  Snapshot s = snapshot({arm("tiling", 1, 2, 0.8, 10)});
  s.current = s.arms[0].id;
  const std::string leave = "rule { name = 'leave', effect = 'pivot', when = function() return 'leave' end }";
  CHECK(!decide(kTryFirst, s, "", leave).rule);
  s.arms.push_back(arm("split-kv", 1, 2, 0.8, 10));
  CHECK_THROWS_WITH(decide("return { action = 'try', arm = campaign.arms[1], why = 'again' }", s, "", leave),
                    Catch::Contains("which is left by the rule 'leave'; choose from campaign.open"));
}

TEST_CASE("rules that concern an arm are not asked about one that is closed") {
  Snapshot s = snapshot({arm("tiling", 1, 2, 0.8, 10), arm("split-kv", 1, 2, 0.8, 10)});
  s.arms[0].closed = true;
  s.current = s.arms[0].id;
  CHECK(
      decide(kTryFirst, s, "", "rule { name = 'c', effect = 'close', when = function() return 'again' end }").action ==
      Action::try_arm);
}

TEST_CASE("a rule that answers nonsense is refused by name and line") {
  Snapshot s = snapshot({arm("tiling", 1, 2, 0.8, 10)});
  CHECK_THROWS_WITH(decide(kTryFirst, s, "\n", "rule { name = 'r', effect = 'stop', when = function() return 5 end }"),
                    "strategies/mine.lua:2: the rule 'r' returned a number; return a reason in words, or nil");
  CHECK_THROWS_WITH(decide(kTryFirst, s, "", "rule { name = 'r', adjust = function() return -1 end }"),
                    "strategies/mine.lua:1: the rule 'r' adjusts k/w/tiling by -1; return a number > 0, or nil");
  CHECK_THROWS_WITH(
      decide(kTryFirst, s, "", "rule { name = 'r', effect = 'clos', when = print }"),
      Catch::Contains("unknown effect of a rule 'clos'; use stop, close, pivot, silence; did you mean 'close'?"));
}
