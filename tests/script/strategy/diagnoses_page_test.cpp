#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "harness/script/strategy/diagnoses.h"
#include "tests/script/strategy_fixture.h"

// docs/diagnoses.md tells the truth: its table is that of the files, and its example works.
using namespace harness;
using namespace harness::script::fixture;

namespace {

const std::filesystem::path kPage = std::filesystem::path(HARNESS_SOURCE_DIR) / "docs/diagnoses.md";
constexpr const char *kBegin = "<!-- diagnoses -->\n", *kEnd = "<!-- /diagnoses -->";

std::string page_text() {
  std::ifstream in(kPage);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string table() {
  std::string text = "| rule | it says that | numbers | page |\n|---|---|---|---|\n";
  for (const DiagnosisRule& rule : script::LuaDiagnoses({kShipped}).rules()) {
    std::string numbers;
    for (const std::string& counter : rule.counters) numbers += (numbers.empty() ? "`" : ", `") + counter + "`";
    text += "| `" + rule.name + "` | " + rule.summary + " | " + numbers + " | [" + rule.page + "](../playbook/" +
            rule.page + ".md) |\n";
  }
  return text;
}

}  // namespace

TEST_CASE("the table of diagnoses is made from their files") {
  const std::string text = page_text();
  const std::size_t begin = text.find(kBegin), end = text.find(kEnd);
  REQUIRE(end != std::string::npos);
  const std::string expected = text.substr(0, begin) + kBegin + table() + text.substr(end);
  if (std::getenv("HARNESS_APPROVE") != nullptr) std::ofstream(kPage) << expected;
  else CHECK(text == expected);
}

TEST_CASE("the example of docs/diagnoses.md works") {
  const std::string text = page_text(), block = "```lua\n";
  const std::size_t code = text.find(block) + block.size();
  const Folder folder;
  folder.write("diagnoses/many-registers.lua", text.substr(code, text.find("```", code) - code));
  CHECK(script::Library({folder.path()}).check("diagnoses/many-registers").at("name") == "many-registers");
}
