#include "harness/script/strategy/search.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <iterator>
#include <set>

#include "harness/core/error.h"
#include "tests/script/strategy_fixture.h"

using namespace harness;
using namespace harness::script::fixture;

namespace {

Parameter parameter(const std::string& name, std::vector<Value> values) {
  return {name, std::move(values), "define"};
}

std::vector<Value> integers(std::int64_t count) {
  std::vector<Value> values;
  for (std::int64_t i = 1; i <= count; ++i) values.emplace_back(i);
  return values;
}

/// X x Y points except those where X == Y == 2.
Space grid(std::int64_t x, std::int64_t y) {
  Space space{{parameter("X", integers(x)), parameter("Y", integers(y))}, {}};
  for (std::uint16_t i = 0; i < x; ++i) {
    for (std::uint16_t j = 0; j < y; ++j) {
      if (i != 1 || j != 1) space.points.push_back({i, j});
    }
  }
  return space;
}

ArmSpace two_variants() {
  return {{"k", "w", "t"},
          {{"10_a", grid(3, 4)},
           {"20_b",
            {{parameter("MODE", {std::string("p"), std::string("q")}), parameter("X", integers(3))},
             {{0, 0}, {0, 2}, {1, 1}}}}}};
}

ArmSpace one_variant(std::int64_t side) {
  return {{"k", "w", "t"}, {{"10_a", grid(side, side)}}};
}

std::string text(const SearchAsk& ask) {
  return ask.variant + " " + to_text(ask.config);
}

using Judge = std::function<SearchResult(const SearchAsk&)>;

SearchResult passed(double time_ns) {
  return {OutcomeKind::passed, time_ns, 1.0};
}

/// All asks of a search, at most `most`.
std::vector<std::string> asks(Search& search, const Judge& judge, std::size_t most = 100000) {
  std::vector<std::string> all;
  while (all.size() < most) {
    const auto ask = search.ask();
    if (!ask) break;
    all.push_back(text(*ask));
    search.tell(judge(*ask));
  }
  return all;
}

std::vector<std::string> shipped(const std::string& name, const ArmSpace& space, std::uint64_t seed,
                                 const Judge& judge) {
  return asks(*script::Library({kShipped}).search(name, space, seed), judge);
}

std::unique_ptr<Search> written(const std::string& body, const ArmSpace& space = two_variants(),
                                std::uint64_t seed = 1) {
  const Folder folder;
  folder.write("search/mine.lua", "return search { run = function(space, evaluate, evaluate_all)\n" + body + "\nend }");
  return folder.library().search("mine", space, seed);
}

std::int64_t at(const SearchAsk& ask, const std::string& name) {
  return std::get<std::int64_t>(ask.config.at(name));
}

SearchResult bowl(const SearchAsk& ask) {
  return passed(100 + std::pow(at(ask, "X") - 20, 2) + std::pow(at(ask, "Y") - 7, 2));
}

SearchResult bowl_or_flat(const SearchAsk& ask) {
  return ask.config.contains("Y") ? bowl(ask) : passed(100);
}

SearchResult flat(const SearchAsk&) {
  return passed(100);
}

std::string failure(Search& search) {
  try {
    asks(search, flat);
  } catch (const Error& error) {
    CHECK_FALSE(search.ask().has_value());
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("exhaustive asks every configuration in order, once") {
  const auto all = shipped("exhaustive", two_variants(), 1, flat);
  REQUIRE(all.size() == 14);
  CHECK(all[0] == "10_a X=1 Y=1");
  CHECK(all[1] == "10_a X=1 Y=2");
  CHECK(all[11] == "20_b MODE=p X=1");
  CHECK(all[13] == "20_b MODE=q X=2");
}

TEST_CASE("a field that a space has not is refused with the nearest name") {
  CHECK_THAT(failure(*written("evaluate(space.variant[1].first)")),
             Catch::Contains("there is no field space.variant; did you mean 'variants'?"));
  CHECK(failure(*written("local n = space.size or 0")).empty());
}

TEST_CASE("random asks every configuration once, in an order that only the seed decides") {
  const auto all = shipped("random", two_variants(), 1, flat);
  CHECK(std::set<std::string>(all.begin(), all.end()).size() == 14);
  CHECK(all.size() == 14);
  CHECK(all == shipped("random", two_variants(), 1, flat));
  CHECK(all != shipped("random", two_variants(), 2, flat));
}

TEST_CASE("searches begin where a variant says, and in the middle where none does") {
  ArmSpace space = two_variants();
  for (const char* const name : {"default", "hillclimb"}) {
    const auto asked = shipped(name, space, 1, [](const SearchAsk&) { return passed(100); });
    REQUIRE(asked.size() > 2);
    CHECK(asked[0] == "10_a X=2 Y=3");
    CHECK(asked[1] == "20_b MODE=q X=2");
  }
  for (auto& [variant, points] : space.variants) points.authored = true;
  space.variants[1].second.start = 1;
  for (const char* const name : {"default", "hillclimb"}) {
    const auto asked = shipped(name, space, 1, [](const SearchAsk&) { return passed(100); });
    REQUIRE(asked.size() > 2);
    CHECK(asked[0] == "10_a X=1 Y=1");
    CHECK(asked[1] == "20_b MODE=p X=3");
  }
}

TEST_CASE("hillclimb begins with the first configuration of each variant and covers the space in the end") {
  const auto all = shipped("hillclimb", two_variants(), 3, flat);
  CHECK(all[0] == "10_a X=2 Y=3");
  CHECK(all[1] == "20_b MODE=q X=2");
  CHECK(all.size() == 14);
  CHECK(std::set<std::string>(all.begin(), all.end()).size() == 14);
}

TEST_CASE("hillclimb finds the bottom of a bowl in a fraction of the space") {
  auto search = script::Library({kShipped}).search("hillclimb", one_variant(40), 5);
  double best = 1e9;
  std::size_t used = 0;
  while (best > 100 && used < 1600) {
    const auto ask = search->ask();
    REQUIRE(ask);
    const SearchResult result = bowl(*ask);
    best = std::min(best, *result.time_ns);
    search->tell(result);
    ++used;
  }
  CHECK(best == 100);
  CHECK(used < 700);
}

TEST_CASE("hillclimb copes with configurations that fail, and with all of them failing") {
  const auto all = shipped("hillclimb", two_variants(), 3, [](const SearchAsk&) {
    return SearchResult{OutcomeKind::crashed, {}, 1};
  });
  CHECK(all.size() == 14);
}

TEST_CASE("asking twice gives the same ask, and the record replayed gives the same asks") {
  const auto judge = [](const SearchAsk& ask) {
    return at(ask, "X") == 3 ? SearchResult{OutcomeKind::wrong_answer, {}, 1} : bowl(ask);
  };
  auto first = script::Library({kShipped}).search("hillclimb", one_variant(6), 9);
  CHECK(text(*first->ask()) == text(*first->ask()));
  std::vector<std::pair<std::string, SearchResult>> record;
  while (const auto ask = first->ask()) {
    record.emplace_back(text(*ask), judge(*ask));
    first->tell(record.back().second);
  }
  REQUIRE(record.size() == 35);
  auto again = script::Library({kShipped}).search("hillclimb", one_variant(6), 9);
  for (const auto& [said, result] : record) {
    CHECK(text(*again->ask()) == said);
    again->tell(result);
  }
  CHECK_FALSE(again->ask().has_value());
  CHECK_FALSE(again->ask().has_value());
}

TEST_CASE("evaluate returns what was told, and a configuration asked again is answered from the record") {
  auto search = written(R"(
    local r = evaluate(space:point(1))
    assert(r.outcome == 'passed' and r.passed == true and r.time_ns == 50 and r.cost_s == 1.0)
    assert(evaluate(space:point(1)).time_ns == 50)
    r = evaluate({ variant = "20_b", MODE = "q", X = 2 })
    assert(r.outcome == 'timed_out' and r.passed == false and r.time_ns == nil and r.left_s == 9)
    local ok = pcall(function() evaluate(space:point(2)) end)
    assert(ok)
    r = evaluate(space:point(3))
    assert(r.outcome == 'screened' and r.passed == true and r.time_ns == 80))");
  CHECK(text(*search->ask()) == "10_a X=1 Y=1");
  search->tell(passed(50));
  CHECK(text(*search->ask()) == "20_b MODE=q X=2");
  search->tell({OutcomeKind::timed_out, {}, 1, 9});
  CHECK(text(*search->ask()) == "10_a X=1 Y=2");
  search->tell(passed(1));
  REQUIRE(search->ask().has_value());
  search->tell({OutcomeKind::screened, 80, 1});
  CHECK_FALSE(search->ask().has_value());
}

TEST_CASE("what the default search begins with is announced from its first ask on") {
  const auto search = script::Library({kShipped}).search("default", two_variants(), 1);
  const auto first = search->ask();
  REQUIRE(first->hints.size() == 1);
  CHECK(first->variant == "10_a");
  CHECK(first->hints[0].first == "20_b");
}

TEST_CASE("hints announce what may follow") {
  auto search = written(
      "evaluate(space:point(1), { space:point(2), space:point(3) })\n"
      "local all = {} for i = 1, 4 do all[i] = space:point(i) end\n"
      "local results = evaluate_all(all) assert(#results == 4 and results[4].time_ns == 100)");
  auto ask = search->ask();
  REQUIRE(ask->hints.size() == 2);
  CHECK(to_text(ask->hints[1].second) == "X=1 Y=3");
  search->tell(passed(100));
  ask = search->ask();  // point 1 is known: evaluate_all asks for 2 and announces 3 and 4
  CHECK(text(*ask) == "10_a X=1 Y=2");
  CHECK(ask->hints.size() == 2);
  search->tell(passed(100));
  CHECK(asks(*search, flat).size() == 2);
}

TEST_CASE("the space tells of itself") {
  auto search = written(R"(
    assert(space.size == 14)
    assert(space.parameters[1].name == "variant" and space.parameters[1].values[2] == "20_b")
    assert(#space.variants == 2 and space.variants[2].first.MODE == "q" and space.variants[2].parameters[1].name == "MODE")
    assert(space:index(space:point(12)) == 12)
    assert(space:contains { variant = "10_a", X = 1, Y = 1 } and space:contains { variant = "10_a", X = 1.0, Y = 1 })
    assert(not space:contains { variant = "10_a", X = 2, Y = 2 } and not space:contains { X = 1 })
    for _ = 1, 50 do assert(space:contains(space:random())) end
    assert(evaluate(space.variants[1].first).passed)
    local around = {}
    for _, c in ipairs(space:neighbours { variant = "10_a", X = 2, Y = 1 }) do
      around[#around + 1] = c.variant .. c.X .. (c.Y or c.MODE)
    end
    print(table.concat(around, " "))
    local other = space:neighbours { variant = "20_b", MODE = "p", X = 3 }
    print(other[#other].variant, other[#other].X, other[#other].Y))");
  CHECK(asks(*search, flat).size() == 1);
  const auto& said = dynamic_cast<script::LuaSearch&>(*search).messages();
  REQUIRE(said.size() == 2);
  CHECK(said[0] == "10_a11 10_a31 10_a23 10_a24 20_b2q");
  CHECK(said[1] == "10_a\t3\t3");
}

TEST_CASE("a mistake in a search ends it with file and line") {
  CHECK(failure(*written("local x = nil + 1")) ==
        "strategies/search/mine.lua:2: attempt to perform arithmetic on a nil value");
  CHECK(failure(*written("evaluate(space:point(1))\nerror('enough')")) == "strategies/search/mine.lua:3: enough");
  CHECK(failure(*written("evaluate { variant = '10_a', X = 9, Y = 1 }")) ==
        "strategies/search/mine.lua:2: evaluate: parameter 'X' has no value 9");
  CHECK(failure(*written("evaluate { variant = '10_a', X = 2, Y = 2 }")) ==
        "strategies/search/mine.lua:2: evaluate: the configuration X=2 Y=2 of variant '10_a' is not valid on this "
        "workload");
  CHECK(failure(*written("evaluate { variant = '10_b', X = 1, Y = 1 }")) ==
        "strategies/search/mine.lua:2: evaluate: variant '10_b' is not in this space; did you mean '10_a'?");
  CHECK(failure(*written("evaluate { variant = '20_b', MOD = 'p', MODE = 'p', X = 1 }")) ==
        "strategies/search/mine.lua:2: evaluate: variant '20_b' has no parameter 'MOD'; did you mean 'MODE'?");
  CHECK(failure(*written("evaluate(5)")) ==
        "strategies/search/mine.lua:2: evaluate: a configuration is a table of parameters, not number");
  CHECK(failure(*written("space:point(15)")) ==
        "strategies/search/mine.lua:2: point 15 is not in the space; use 1 to space.size (14)");
  CHECK(failure(*written("space.point(1)")) ==
        "strategies/search/mine.lua:2: call the methods of space with a colon: space:point(1)");
  CHECK(failure(*written("space.size = 3")) == "strategies/search/mine.lua:2: space.size is read-only");
  CHECK(failure(*written("while true do evaluate(space:point(1)) end")) ==
        "strategies/search/mine.lua:2: exceeded its time limit of 2 s");
  CHECK(failure(*written("table.sort({ 1, 2 }, function() evaluate(space:point(1)) return false end)")).empty());
  CHECK(failure(*written("('a'):gsub('a', function() evaluate(space:point(1)) end)")).find("attempt to yield") !=
        std::string::npos);
}

TEST_CASE("a space of a million points is searched without becoming Lua tables") {
  Space large{{}, {}};
  for (const char* name : {"A", "B", "C", "D", "E", "F"}) large.parameters.push_back(parameter(name, integers(10)));
  large.points.reserve(1000000);
  for (std::uint32_t i = 0; i < 1000000; ++i) {
    std::vector<std::uint16_t> point(6);
    for (std::uint32_t p = 0, rest = i; p < 6; ++p, rest /= 10) point[p] = static_cast<std::uint16_t>(rest % 10);
    large.points.push_back(std::move(point));
  }
  const ArmSpace space{{"k", "w", "t"}, {{"10_a", std::move(large)}}};
  for (const char* name :
       {"random", "hillclimb", "exhaustive", "iterated-local-search", "annealing", "genetic", "default"}) {
    CAPTURE(name);
    script::Library library({kShipped}, {.memory_bytes = 16 << 20});
    const auto asked = asks(*library.search(name, space, 1), flat, 200);
    CHECK(std::set<std::string>(asked.begin(), asked.end()).size() == 200);
  }
}

TEST_CASE("an empty space and a baseline without parameters are searched too") {
  const ArmSpace empty{{"k", "w", "t"}, {{"10_a", Space{{parameter("X", integers(2))}, {}}}}};
  const ArmSpace plain{{"k", "w", "t"}, {{"00_naive", Space{{}, {{}}}}}};
  for (const char* name :
       {"random", "hillclimb", "exhaustive", "iterated-local-search", "annealing", "genetic", "default"}) {
    CAPTURE(name);
    CHECK(shipped(name, empty, 1, flat).empty());
    CHECK(shipped(name, plain, 1, flat) == std::vector<std::string>{"00_naive "});
  }
}

namespace {

/// X and Y from 1 to 1000 with X + Y even: too large to list, as its oracle claims.
class EvenSums : public SpaceOracle {
 public:
  bool allows(const std::vector<std::uint16_t>& point) override { return (point[0] + point[1]) % 2 == 0; }
  std::optional<std::vector<std::uint16_t>> draw(const std::function<std::uint64_t(std::uint64_t)>& below) override {
    const auto x = static_cast<std::uint16_t>(below(1000));
    return std::vector{x, static_cast<std::uint16_t>(2 * below(500) + x % 2)};
  }
};

ArmSpace unlisted() {
  Space space{{parameter("X", integers(1000)), parameter("Y", integers(1000))}, {{0, 0}}};
  space.rest = std::make_shared<EvenSums>();
  return {{"k", "w", "t"}, {{"10_a", std::move(space)}}};
}

const std::vector<std::string> kAllShipped{"random",    "hillclimb", "exhaustive", "iterated-local-search",
                                           "annealing", "genetic",   "default"};

/// The first of all asks at which a search found the best configuration.
std::size_t asks_until(const std::string& name, const ArmSpace& space, std::uint64_t seed, const Judge& judge,
                       double good_enough) {
  auto search = script::Library({kShipped}).search(name, space, seed);
  for (std::size_t count = 1; count <= 1000; ++count) {
    const auto ask = search->ask();
    if (!ask) return 1001;
    const SearchResult result = judge(*ask);
    if (result.time_ns && *result.time_ns <= good_enough) return count;
    search->tell(result);
  }
  return 1001;
}

}  // namespace

TEST_CASE("every shipped search asks for every configuration of a small space once") {
  for (const std::string& name : kAllShipped) {
    CAPTURE(name);
    auto all = shipped(name, two_variants(), 3, bowl_or_flat);
    CHECK(all.size() == 14);
    std::sort(all.begin(), all.end());
    CHECK(std::unique(all.begin(), all.end()) == all.end());
  }
}

TEST_CASE("every shipped search ends on a space where nothing passes") {
  const auto failing = [](const SearchAsk&) { return SearchResult{OutcomeKind::wrong_answer, std::nullopt, 1.0}; };
  for (const std::string& name : kAllShipped) {
    CAPTURE(name);
    CHECK(shipped(name, two_variants(), 3, failing).size() == 14);
  }
}

TEST_CASE("a space that is too large to list is searched by drawing, neighbours and questions") {
  for (const std::string& name : kAllShipped) {
    CAPTURE(name);
    auto search = script::Library({kShipped}).search(name, unlisted(), 1);
    const auto asked = asks(
        *search, [](const SearchAsk& ask) { return bowl(ask); }, 60);
    CHECK(std::set<std::string>(asked.begin(), asked.end()).size() == 60);
  }
  const auto search = written(
      "assert(space.size == nil and space.variants[1].size == nil)\n"
      "local c = space:random()\n"
      "assert(space:contains(c) and (c.X + c.Y) % 2 == 0)\n"
      "assert(space:index(space:point(space:index(c))) == space:index(c))\n"
      "assert(not space:contains { variant = '10_a', X = 1, Y = 2 })\n"
      "assert(#space:neighbours(c) == 499 + 499)\n"
      "evaluate(c)",
      unlisted());
  CHECK(asks(*search, flat).size() == 1);
}

TEST_CASE("the search that harness new starts also works in a space that is too large to list") {
  std::ifstream in(HARNESS_SOURCE_DIR "/harness/service/templates/search.lua");
  const Folder folder;
  folder.write("search/mine.lua", std::string(std::istreambuf_iterator<char>(in), {}));
  auto library = folder.library();
  CHECK(asks(*library.search("mine", two_variants(), 1), flat).size() >= 8);
  CHECK(asks(*library.search("mine", unlisted(), 1), flat).size() >= 8);
}

TEST_CASE("a model learns where it is fast") {
  const auto search = written(R"(
local model = space:model { trees = 60 }
assert(model:predict { variant = "10_a", X = 1, Y = 1 } == nil)
for x = 1, 30, 3 do
  for y = 1, 30, 3 do
    local config = { variant = "10_a", X = x, Y = y }
    if space:contains(config) then model:observe(config, evaluate(config)) end
  end
end
local good, bad = model:predict { variant = "10_a", X = 20, Y = 8 }, model:predict { variant = "10_a", X = 2, Y = 29 }
assert(good.log_time < bad.log_time - 0.5, good.log_time .. " " .. bad.log_time)
assert(good.passes == 1 and math.abs(good.cost_s - 1) < 1e-9 and good.deviation >= 0)
local ranked = model:rank { { variant = "10_a", X = 2, Y = 29 }, { variant = "10_a", X = 20, Y = 8 }, { variant = "10_a", X = 1, Y = 1 } }
assert(#ranked == 2 and ranked[1].X == 20, "the observed one is left out")
local share = model:importance()
assert(share.X > 0.1 and share.Y > 0.1 and math.abs(share.X + share.Y - 1) < 1e-6)
local proposed = model:propose(3)
assert(#proposed == 3 and math.abs(proposed[1].X - 20) < 8)
evaluate { variant = "10_a", X = 2, Y = 1 }
)",
                              one_variant(30));
  const auto asked = asks(*search, bowl);
  CHECK(asked.size() == 100 + 1);
}

TEST_CASE("a model learns what fails and what is dear") {
  const auto search = written(R"(
local model = space:model { trees = 60 }
for x = 1, 30, 3 do
  for y = 1, 30, 3 do
    local config = { variant = "10_a", X = x, Y = y }
    if space:contains(config) then model:observe(config, evaluate(config)) end
  end
end
local fails, works = model:predict { variant = "10_a", X = 28, Y = 5 }, model:predict { variant = "10_a", X = 3, Y = 5 }
assert(fails.passes < 0.3 and works.passes > 0.7)
local dear, cheap = model:predict { variant = "10_a", X = 3, Y = 29 }, model:predict { variant = "10_a", X = 3, Y = 3 }
assert(dear.cost_s > 2 * cheap.cost_s)
)",
                              one_variant(30));
  const auto judge = [](const SearchAsk& ask) {
    SearchResult result = passed(100);
    if (at(ask, "X") > 15) result = {OutcomeKind::compile_error, std::nullopt, 1.0};
    result.cost_s = at(ask, "Y") > 15 ? 10 : 1;
    return result;
  };
  CHECK(asks(*search, judge).size() == 100);
}

TEST_CASE("where times tie, a model that knows of novelty leaves what only repeats a time") {
  const auto search = written(R"(
local model = space:model { novelty = 1 }
for _, x in ipairs { 1, 5, 10, 15, 25, 30 } do
  for y = 1, 30, 3 do
    local config = { variant = "10_a", X = x, Y = y }
    model:observe(config, evaluate(config))
  end
end
local share = model:importance()
assert(share.X > 0.7, "Y does next to nothing")
for y = 2, 29, 3 do
  local ranked = model:rank { { variant = "10_a", X = 15, Y = y }, { variant = "10_a", X = 20, Y = y } }
  assert(ranked[1].X == 20, "another Y at the same X is nothing new")
end
)",
                              one_variant(30));
  CHECK(asks(*search, [](const SearchAsk& ask) { return passed(at(ask, "X") < 6 ? 200 : 100); }).size() == 60);
}

TEST_CASE("default finds the bottom of a bowl sooner than chance") {
  double total = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed)
    total += static_cast<double>(asks_until("default", one_variant(30), seed, bowl, 101.0));
  CHECK(total / 6 < 90);  // 5 of the 899 are that good: chance needs 150
}

TEST_CASE("default begins with what was fastest elsewhere") {
  ArmSpace space = one_variant(30);
  for (std::int64_t x = 1; x <= 30; ++x)
    space.earlier.push_back({"other",
                             "gpu",
                             "10_a",
                             {{"X", x}, {"Y", std::int64_t{7}}},
                             OutcomeKind::passed,
                             100.0 + std::abs(x - 20.0),
                             2});
  space.earlier.push_back(
      {"near", "gpu", "10_a", {{"X", std::int64_t{4}}, {"Y", std::int64_t{4}}}, OutcomeKind::passed, 900.0, 0.1});
  space.earlier.push_back({"near",
                           "gpu",
                           "10_a",
                           {{"X", std::int64_t{5}}, {"Y", std::int64_t{5}}},
                           OutcomeKind::wrong_answer,
                           std::nullopt,
                           0.1});
  space.earlier.push_back({"unknown",
                           "gpu",
                           "10_a",
                           {{"X", std::int64_t{9}}, {"Y", std::int64_t{9}}},
                           OutcomeKind::passed,
                           1.0,
                           std::nullopt});
  const auto search = script::Library({kShipped}).search("default", space, 1);
  CHECK(asks(*search, bowl, 5) ==
        std::vector<std::string>{"10_a X=4 Y=4", "10_a X=20 Y=7", "10_a X=19 Y=7", "10_a X=9 Y=9", "10_a X=15 Y=15"});
}

TEST_CASE("a prediction is charged for what it costs: a fit once, then one point each") {
  const auto search = written(R"(
    local model = space:model { trees = 200 }
    for i = 1, 500 do model:observe(space:point(i), { outcome = "passed", passed = true, time_ns = i, cost_s = 1 }) end
    for i = 1, 3000 do assert(model:predict(space:point(1 + i % 500))) end
    evaluate(space:point(1)))",
                              one_variant(30));
  CHECK(search->ask().has_value());  // a fit each would be 240 million steps, more than a script may take
}

TEST_CASE("misuse of a model is said with the line") {
  CHECK_THAT(failure(*written("space:model { tree = 3 }")),
             Catch::StartsWith("strategies/search/mine.lua:2: space:model has no option 'tree'"));
  CHECK_THAT(failure(*written("space:model { trees = 'many' }")), Catch::Contains("the option 'trees'"));
  CHECK_THAT(failure(*written("space:model():observe({ variant = '10_a', X = 9, Y = 1 }, {})")),
             Catch::Contains("parameter 'X' has no value 9"));
  CHECK_THAT(failure(*written("local m = space:model()\nm.propose(1)")), Catch::Contains("with a colon"));
  CHECK_THAT(failure(*written("for _ = 1, 17 do space:model() end")), Catch::Contains("a search may make 16 models"));
}

TEST_CASE("a search may ask for exact times") {
  const Folder folder;
  folder.write("search/exact.lua", "return search { exact_times = true, run = function(space, evaluate) end }");
  folder.write("search/wrong.lua", "return search { exact_times = 1, run = function(space, evaluate) end }");
  CHECK(folder.library().search("exact", two_variants(), 1)->exact_times());
  CHECK_FALSE(written("evaluate(space:point(1))")->exact_times());
  CHECK_THROWS_WITH(folder.library().search("wrong", two_variants(), 1), Catch::Contains("exact_times"));
}

TEST_CASE("a search that takes several goes on without a result, and is told it late with its configuration") {
  const Folder folder;
  folder.write("search/mine.lua", R"(return search { several = true, run = function(space, evaluate)
    for i = 1, 4 do
      local result = evaluate(space:point(i))
      print(i, result.pending, result.time_ns)
      for _, late in ipairs(result.late or {}) do print("late", space:index(late.config), late.time_ns) end
    end
  end })");
  const auto search = folder.library().search("mine", two_variants(), 1);
  REQUIRE(search->takes_several());
  const auto first = search->ask();
  search->put_off();
  const auto second = search->ask();
  REQUIRE((first && second));
  CHECK(text(*first) != text(*second));
  search->tell_late(*first, passed(11));
  search->tell(passed(22));
  const auto third = search->ask();
  search->put_off();
  search->tell_late(*third, passed(33));  // it came before the search went on: as if it had not been put off
  const auto fourth = search->ask();
  search->tell(passed(44));
  CHECK_FALSE(search->ask());
  CHECK(dynamic_cast<script::LuaSearch&>(*search).messages() ==
        std::vector<std::string>{"1\ttrue\tnil", "2\tnil\t22.0", "late\t1\t11.0", "3\tnil\t33.0", "4\tnil\t44.0"});
}

TEST_CASE("the default search asks for each configuration once, however many are under way") {
  const ArmSpace space = two_variants();
  for (const std::size_t devices : {2u, 4u, 9u}) {
    const auto search = script::Library({kShipped}).search("default", space, 1);
    std::vector<SearchAsk> under_way;
    std::vector<std::string> all;
    for (;;) {
      while (under_way.size() < devices) {
        if (!under_way.empty()) search->put_off();
        const auto ask = search->ask();
        if (!ask) break;
        all.push_back(text(*ask));
        under_way.push_back(*ask);
      }
      if (under_way.empty()) break;
      search->tell_late(under_way.front(), bowl_or_flat(under_way.front()));
      under_way.erase(under_way.begin());
    }
    CHECK(std::set<std::string>(all.begin(), all.end()).size() == all.size());
    CHECK(all.size() == 14);
  }
}
