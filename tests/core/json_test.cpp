#include "harness/core/json.h"

#include <catch2/catch.hpp>

using namespace harness;

namespace {

std::string nested(std::size_t depth, const std::string& open, const std::string& close, const std::string& inner) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += open;
  text += inner;
  for (std::size_t i = 0; i < depth; ++i) text += close;
  return text;
}

}  // namespace

TEST_CASE("JSON is read as deep as anybody writes it, and no deeper") {
  for (const auto& [open, close] : {std::pair{"[", "]"}, {"{\"a\":", "}"}}) {
    CHECK_NOTHROW(parse_json(nested(kDeepestJson, open, close, "1")));
    for (const std::size_t depth : {kDeepestJson + 1, std::size_t{100'000}}) {
      const std::string text = nested(depth, open, close, "1");
      CHECK_THROWS_AS(parse_json(text), json::parse_error);
      CHECK(parse_json_if_valid(text).is_discarded());
      CHECK(parse_json_if_valid(text.substr(0, text.size() / 2)).is_discarded());
    }
  }
}

TEST_CASE("brackets within strings are text") {
  const std::string brackets(1000, '[');
  CHECK(parse_json("\"" + brackets + "\"") == brackets);
  CHECK(parse_json("[\"\\\"" + brackets + "\", \"\\\\\"]").at(0) == "\"" + brackets);
}

TEST_CASE("the byte of the bracket that is one too many is told") {
  const std::string text = "{\"a\": " + nested(kDeepestJson, "[", "]", "") + "}";
  CHECK(too_deep_at(text) == 6 + kDeepestJson - 1);
  CHECK(!too_deep_at("{\"a\": " + nested(kDeepestJson - 1, "[", "]", "") + "}"));
}
