#include "harness/fleet/line.h"

#include <catch2/catch.hpp>

#include "harness/core/error.h"

using namespace harness;
using namespace harness::fleet;

namespace {

std::vector<json> all_of(Lines& lines) {
  std::vector<json> found;
  while (auto message = lines.next()) found.push_back(std::move(*message));
  return found;
}

}  // namespace

TEST_CASE("messages are found behind a banner, among other output, and in a terminal's line ends") {
  Lines lines(Side::node);
  const json message = {{"text", "ümlaut \n and \r\n \x01"}, {"number", 1.5}};
  std::string line = framed(Side::node, message);
  line.insert(line.size() - 1, "\r");
  lines.add("Welcome to gpu1!\nLast login: today\n\n" + line + "slurmstepd: info\n" + framed(Side::lead, 7) + line);
  CHECK(all_of(lines) == std::vector<json>{message, message});
  CHECK(lines.others() == 4);
  CHECK(lines.last_other() == "slurmstepd: info");  // an echo is no news
}

TEST_CASE("a line that was cut or mixed with another is no message, and the next one is") {
  const std::string line = framed(Side::node, {{"a", "0123456789"}});
  for (std::size_t cut = 1; cut + 1 < line.size(); ++cut) {
    Lines lines(Side::node);
    lines.add(line.substr(0, cut) + line + line);
    const std::size_t whole = all_of(lines).size();
    CHECK(whole >= 1);
    CHECK(whole <= 2);
  }
}

TEST_CASE("bytes may come in any portions") {
  Lines lines(Side::lead);
  std::size_t found = 0;
  for (const char c : framed(Side::lead, {{"id", 1}}) + framed(Side::lead, {{"id", 2}})) {
    lines.add({&c, 1});
    found += all_of(lines).size();
  }
  CHECK(found == 2);
}

TEST_CASE("what never ends a line is no node") {
  Lines lines(Side::node);
  lines.add(std::string(65u << 20, 'x'));
  CHECK_THROWS_WITH(lines.next(), Catch::Contains("does not start harness node"));
}
