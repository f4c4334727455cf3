#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
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

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The names of the fields of a class in api.lua, in lines of at most 98 columns: "`device`, `seed`."
std::string listed_fields(const std::string& api, const std::string& name) {
  const std::string mark = "---@field ";
  std::vector<std::string> words;
  std::size_t at = api.find("---@class " + name + " ");
  for (at = api.find('\n', at) + 1; api.compare(at, mark.size(), mark) == 0; at = api.find('\n', at) + 1)
    words.push_back(api.substr(at + mark.size(), api.find(' ', at + mark.size()) - at - mark.size()));
  std::string text, line;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string word = "`" + words[i] + (i + 1 < words.size() ? "`," : "`.");
    if (!line.empty() && line.size() + 1 + word.size() > 98) {
      text += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return text + line + "\n";
}

}  // namespace

// Set HARNESS_APPROVE=1 to write the lists as api.lua has them now.
TEST_CASE("strategies/README.md lists the fields of api.lua") {
  const std::string api = text_of(kShipped / "api.lua");
  std::string page = text_of(kShipped / "README.md");
  for (const char* name : {"Campaign", "Arm"}) {
    const std::string begin = std::string("<!-- fields of ") + name + " -->\n";
    const std::size_t from = page.find(begin);
    REQUIRE(from != std::string::npos);
    const std::size_t first = from + begin.size(), end = page.find("<!-- /fields -->", first);
    const std::string fields = listed_fields(api, name);
    if (std::getenv("HARNESS_APPROVE") != nullptr) page.replace(first, end - first, fields);
    else CHECK(page.substr(first, end - first) == fields);
  }
  if (std::getenv("HARNESS_APPROVE") != nullptr) std::ofstream(kShipped / "README.md") << page;
}

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
