#include "harness/script/strategy/playbook.h"

#include <catch2/catch.hpp>
#include <set>

#include "harness/core/error.h"
#include "harness/script/catalog/catalog.h"
#include "harness/script/strategy/strategy.h"
#include "tests/script/strategy_fixture.h"

using namespace harness;
using namespace harness::script::fixture;

namespace {

const std::filesystem::path kPages = std::filesystem::path(HARNESS_SOURCE_DIR) / "playbook";

/// A page whose Lua block begins in line 7.
std::string page(const std::string& heading, const std::string& lua) {
  return "# " + heading + "\n\nWhat to do.\n\n## When it applies\n```lua\n" + lua +
         "\n```\n## What to do\n## What to expect\n## How it fails\n## Source\n";
}

std::string declaration(const std::string& when, const std::string& more = "") {
  return "return pattern { id = 1, name = 'one', " + more + "\nwhen = function(campaign, profile) " + when +
         " end,\napplies_in = { workload = { best_ns = 5 } }, silent_in = { workload = { best_ns = 50 } } }";
}

const std::string kShort = "return profile.best_ns and profile.best_ns < 10 and 'it is short' or nil";

/// A folder of its own with one page "1-one.md".
struct Pages {
  explicit Pages(const std::string& text, const std::string& name = "1-one.md") { folder.write(name, text); }
  script::LuaPlaybook playbook() const { return script::LuaPlaybook({folder.path()}, {.seconds = 2}); }
  std::string refusal() const {
    try {
      playbook().pattern("one");
    } catch (const Error& error) {
      return error.what();
    }
    return "read";
  }
  Folder folder;
};

}  // namespace

TEST_CASE("every shipped page reads, and its when does what its examples say") {
  std::set<int> ids;
  for (const Pattern& pattern : script::LuaPlaybook({kPages}).patterns()) {
    INFO(pattern.file);
    CHECK(pattern.error == "");
    CHECK(ids.insert(pattern.id).second);
    CHECK(!pattern.summary.empty());
  }
  for (const int seed : {7, 11, 13, 16, 17, 18}) CHECK(ids.count(seed) == 1);
  CHECK(ids.size() >= 40);
}

TEST_CASE("every technique that a shipped page names is one of a shipped kernel") {
  const std::filesystem::path source = HARNESS_SOURCE_DIR;
  script::LuaCatalog catalog({source / "kernels"}, {source / "kernels/include"});
  std::set<std::string> techniques;
  for (const std::string& kernel : catalog.kernel_names())
    for (const VariantInfo& variant : catalog.kernel(kernel).variants) techniques.insert(variant.technique);
  for (const Pattern& pattern : script::LuaPlaybook({kPages}).patterns())
    for (const std::string& technique : pattern.techniques) {
      INFO(pattern.file << " names " << technique);
      CHECK(techniques.contains(technique));
    }
}

TEST_CASE("every shipped page can be asked of any snapshot") {
  Snapshot s = snapshot({arm("naive", 1, 1, 1, 1), arm("tiling", 2, 4, 0.8, 20), arm("split-kv", 2, 8, 0.5, 30)});
  s.emulation = true;  // or a time of 1 us would ask for the profiling tree
  s.arms[0].baseline = true;
  s.arms[2].multi_kernel = true;
  script::LuaPlaybook playbook({kPages});
  const auto applying = [&] {
    std::string text;
    for (const AppliedPattern& applied : playbook.applying(s)) text += applied.name + " ";
    return text;
  };
  CHECK(applying() == "environment-validation start-simple tiling ");
  evaluate(s.arms[2], {}, 61);  // 6 s each, of 180 s predicted
  s.iterations = 61;
  CHECK(applying() == "start-simple roi-pivot instrument-early tiling ");
  evaluate(s.arms[1], {2.0, 2.1, 2.2});
  s.arms[1].exhausted = true;
  CHECK(applying() == "instrument-early ");
  s.workloads.clear();
  s.arms.clear();
  CHECK(applying() == "");
}

TEST_CASE("a pattern says on which workload it applies, each reason once") {
  const Pages pages(page("1 One", declaration("return profile.workload .. ' needs it'")));
  Snapshot s = snapshot({});
  s.workloads.push_back(s.workloads[0]);
  s.workloads[1].workload = "v";
  s.workloads.push_back(s.workloads[0]);
  // Examples are not asked when a snapshot is: this page's silent_in would refuse it.
  const auto applied = pages.playbook().applying(s);
  REQUIRE(applied.size() == 2);
  CHECK(applied[0].reason == "w needs it");
  CHECK(applied[1].workload == "v");
}

TEST_CASE("what is wrong with a page is told with its file and line") {
  CHECK(Pages(page("1 One", declaration(kShort))).refusal() == "read");
  CHECK(Pages(page("2 Two", declaration(kShort))).refusal() ==
        "playbook/1-one.md:1: the page begins with its number and title: # 1 ...");
  CHECK(Pages(page("1 One", "return pattern {\nid = 1,, }")).refusal() ==
        "playbook/1-one.md:8: unexpected symbol near ','");
  CHECK(Pages(page("1 One", declaration("return profile.best_ns.x"))).refusal() ==
        "playbook/1-one.md:8: attempt to index a number value (field 'best_ns')");
  CHECK(Pages(page("1 One", declaration(kShort, "techniqes = { 'a' },"))).refusal() ==
        "playbook/1-one.md:7: unknown field 'techniqes' of a pattern; did you mean 'techniques'?");
  CHECK(Pages(page("1 One", declaration(kShort, "expect = { speedup = { 2, 1 } },"))).refusal() ==
        "playbook/1-one.md:7: expect.speedup is not { low, high } with 0 < low <= high");
  CHECK(Pages(page("1 One", declaration("return 3"))).refusal() ==
        "playbook/1-one.md:8: the pattern 'one' returned a number; return a reason in words, or nil");
  CHECK(Pages(page("1 One", "return rule {}")).refusal().find("playbook/1-one.md:7: ") == 0);
  CHECK(Pages(page("1 One", "return 3")).refusal() ==
        "playbook/1-one.md:1: the file returns a number; end it with return pattern { ... }");
  CHECK(Pages("# 1 One\n\nWhat.\n").refusal() ==
        "playbook/1-one.md:1: the page has no Lua block; add ```lua, return pattern { ... } and ```");
  CHECK(Pages("# 1 One\n\nWhat.\n```lua\n").refusal() ==
        "playbook/1-one.md:4: the fence is never closed; end the block with ```");
  CHECK(Pages("# 1 One\n\nWhat.\n```lua\nreturn 1\n```\n")
            .refusal()
            .find("playbook/1-one.md:1: the section '## When it applies' is missing") == 0);
}

TEST_CASE("a page is refused when its when and its examples disagree") {
  CHECK(Pages(page("1 One", declaration("return nil"))).refusal() ==
        "playbook/1-one.md:8: the pattern 'one' does not apply in its example applies_in");
  CHECK(Pages(page("1 One", declaration("return 'always'"))).refusal() ==
        "playbook/1-one.md:8: the pattern 'one' applies in its example silent_in: always");
}

TEST_CASE("a page cannot change the snapshot, and its limits hold") {
  CHECK(Pages(page("1 One", declaration("profile.best_ns = 1"))).refusal() ==
        "playbook/1-one.md:8: profile.best_ns is read-only");
  CHECK(Pages(page("1 One", declaration("campaign.arms[1] = 1"))).refusal() ==
        "playbook/1-one.md:8: campaign.arms[1] is read-only");
  CHECK(Pages(page("1 One", declaration("while true do end"))).refusal().find("playbook/1-one.md:8: ") == 0);
}

TEST_CASE("a broken page hides no other, and two pages cannot share a number") {
  const Pages pages(page("1 One", declaration(kShort)));
  pages.folder.write("2-two.md", "nothing");
  pages.folder.write("README.md", "# About");
  const auto patterns = pages.playbook().patterns();
  REQUIRE(patterns.size() == 2);
  CHECK(patterns[0].name == "one");
  CHECK(patterns[1].error.find("playbook/2-two.md:1: ") == 0);
  pages.folder.write("1-other.md", page("1 Other", declaration(kShort)));
  CHECK_THROWS_WITH(pages.playbook().patterns(), Catch::Contains("have the same number"));
}

TEST_CASE("an unknown pattern is refused with the nearest known one") {
  script::LuaPlaybook playbook({kPages});
  CHECK(playbook.pattern("17").name == "roi-pivot");
  CHECK(playbook.pattern("roi-pivot").id == 17);
  CHECK_THROWS_WITH(playbook.pattern("roi-pivt"),
                    "the playbook has no pattern 'roi-pivt' (harness playbook lists them); did you mean 'roi-pivot'?");
}

TEST_CASE("a strategy uses the playbook, and is made of its pages too") {
  const Pages pages(page("1 One", declaration("return profile.techniques.a and 'an arm of a is open'",
                                              "techniques = { 'a' }, expect = { speedup = { 8, 8 } },")));
  pages.folder.write("uses.lua",
                     "local patterns = use('lib/patterns')\n"
                     "return strategy { decide = function(campaign)\n"
                     "  local applying = patterns.applying(campaign)\n"
                     "  local arm = campaign.open[1]\n"
                     "  local prior, ids = patterns.prior(arm, applying, 1)\n"
                     "  return { action = 'try', arm = arm, why = applying[1].reason,\n"
                     "           table = { lo = prior.speedup_lo, hi = prior.speedup_hi, p = prior.probability, id = "
                     "ids[1] } } end }");
  const auto strategy = [&] {
    return script::Library({pages.folder.path(), kShipped}, {.seconds = 2}, {pages.folder.path()}).strategy("uses");
  };
  const Snapshot s = snapshot({arm("a", 2, 4, 0.8, 20)});
  const auto first = strategy();
  const Decision d = first->decide(s);
  CHECK(d.why == "an arm of a is open");
  CHECK(d.table["id"] == 1);
  // The manifest's 2 to 4, which reaches as far as the page promises; the odds of 0.8 times 1.5.
  CHECK(d.table["lo"].get<double>() == Approx(2));
  CHECK(d.table["hi"].get<double>() == Approx(8));
  CHECK(d.table["p"].get<double>() == Approx(6.0 / 7));
  // A page whose promise was seldom met still caps nothing; evidence against it leaves the manifest alone.
  Snapshot later = s;
  later.playbook = {{.id = 1, .applied = 4, .measured = 4, .improved = 4, .met = 0, .mean_gain = 1.5}};
  CHECK(first->decide(later).table["hi"].get<double>() == Approx(8));
  later.playbook[0].against = "too few";
  CHECK(first->decide(later).table["hi"].get<double>() == Approx(4));
  CHECK(first->decide(later).table["p"].get<double>() == Approx(0.8));
  const std::string before = first->identity().hash;
  pages.folder.write("1-one.md",
                     page("1 One", declaration("return profile.techniques.a and 'changed'", "techniques = { 'a' },")));
  CHECK(strategy()->identity().hash != before);
  pages.folder.write("1-one.md", page("1 One", "return pattern {\nid = 1,, }"));
  CHECK_THROWS_WITH(strategy(), Catch::Contains("playbook/1-one.md:8: "));
}

TEST_CASE("--check tries a strategy that asks the playbook") {
  const Pages pages(page("1 One", declaration("return profile.workload .. ' needs it'")));
  pages.folder.write("uses.lua",
                     "local patterns = use('lib/patterns')\n"
                     "return strategy { decide = function(campaign)\n"
                     "  local applying = patterns.applying(campaign)\n"
                     "  if not campaign.open[1] then return { action = 'stop', why = 'nothing is left' } end\n"
                     "  return { action = 'try', arm = campaign.open[1], why = applying[1].reason } end }");
  script::Library library({pages.folder.path(), kShipped}, {.seconds = 2}, {pages.folder.path()});
  CHECK(library.check("uses").at("tried").at(0).get<std::string>().find("m4096 needs it") != std::string::npos);
  const std::string file = (pages.folder.path() / "uses.lua").string();
  CHECK(library.check(file).at("tried").at(0).get<std::string>().find("m4096 needs it") != std::string::npos);
}
