#include "harness/campaign/covering.h"

#include <catch2/catch.hpp>
#include <set>

using namespace harness;

TEST_CASE("few configurations hold each value of each parameter") {
  Space space;
  space.parameters = {{"A", {Value(std::int64_t{1}), Value(std::int64_t{2}), Value(std::int64_t{3})}, "define"},
                      {"B", {Value(std::int64_t{4}), Value(std::int64_t{5})}, "define"}};
  for (std::uint16_t a = 0; a < 3; ++a)
    for (std::uint16_t b = 0; b < 2; ++b)
      if (a != 2 || b == 1) space.points.push_back({a, b});
  space.start = 1;
  const auto configs = covering_configurations(space, 8);
  CHECK(configs.size() == 3);
  CHECK(to_text(configs.front()) == "A=1 B=5");
  std::set<std::string> seen;
  for (const Config& config : configs)
    for (const auto& [name, value] : config) seen.insert(name + to_text(value));
  CHECK(seen == std::set<std::string>{"A1", "A2", "A3", "B4", "B5"});
  CHECK(covering_configurations(space, 2).size() == 2);
  space.points.clear();
  CHECK(covering_configurations(space, 8).empty());
}
