#include <catch2/catch.hpp>
#include <iterator>

#include "harness/script/strategy/strategy.h"
#include "tests/script/strategy_fixture.h"

using namespace harness;
using namespace harness::script::fixture;

namespace {

/// Writes every example of strategies/README.md ("`strategies/NAME.lua`: ..." before a Lua block) into the folder.
std::size_t write_examples(const Folder& folder) {
  std::ifstream in(kShipped / "README.md");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::string named = "`strategies/", block = "```lua\n";
  std::size_t count = 0;
  for (std::size_t at = text.find(block); at != std::string::npos; at = text.find(block, at + 1), ++count) {
    const std::size_t name = text.rfind(named, at) + named.size(), code = at + block.size();
    folder.write(text.substr(name, text.find('`', name) - name), text.substr(code, text.find("```", code) - code));
  }
  return count;
}

}  // namespace

TEST_CASE("the examples of strategies/README.md work") {
  const Folder folder;
  REQUIRE(write_examples(folder) == 4);
  auto library = folder.library();

  Snapshot s = snapshot({arm("a", 1, 2, 0.8, 10), arm("b", 1, 2, 0.8, 10)});
  evaluate(s.arms[0], {1.2});
  CHECK(library.strategy("round-robin")->decide(s).arm.technique == "b");

  folder.write("listing.lua",
               "return strategy { rules = { 'rules/same-mistake' }, decide = function() return { action = 'stop', why "
               "= 'end' } end }");
  s.current = s.arms[1].id;
  s.arms[1].same_fingerprint = 5;
  CHECK(library.strategy("listing")->decide(s).why == "k/w/b gave the same wrong answer 5 times");

  Space space{
      {{"X", {std::int64_t{1}, std::int64_t{2}}, "define"}, {"Y", {std::int64_t{1}, std::int64_t{2}}, "define"}},
      {{0, 0}, {0, 1}, {1, 0}, {1, 1}}};
  auto search = library.search("sweep", {{"k", "w", "t"}, {{"10_a", space}}}, 1);
  std::vector<std::string> asked;
  while (const auto ask = search->ask()) {
    asked.push_back(to_text(ask->config));
    search->tell({OutcomeKind::passed, asked.size() == 2 ? 1.0 : 2.0, 1.0});
  }
  CHECK(asked == std::vector<std::string>{"X=1 Y=1", "X=2 Y=1", "X=2 Y=2"});
}
