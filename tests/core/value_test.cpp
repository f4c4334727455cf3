#include "harness/core/value.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "harness/core/error.h"

using namespace harness;

TEST_CASE("values print as short as they round-trip") {
  REQUIRE(to_text(Value{0.5}) == "0.5");
  REQUIRE(to_text(Value{4.0}) == "4");
  REQUIRE(to_text(Value{std::int64_t{-4}}) == "-4");
  REQUIRE(to_text(Value{true}) == "true");
  REQUIRE(to_text(Value{std::string("bf16")}) == "bf16");
  for (const double number : {0.1, 1e-6, 1.0 / 3, 1e300, 5e-324}) {
    REQUIRE(std::get<double>(parse_value(to_text(Value{number}))) == number);
  }
}

TEST_CASE("text parses to the narrowest kind of value") {
  REQUIRE(parse_value("true") == Value{true});
  REQUIRE(parse_value("-12") == Value{std::int64_t{-12}});
  REQUIRE(parse_value("+12") == Value{std::int64_t{12}});
  REQUIRE(parse_value("1e3") == Value{1000.0});
  REQUIRE(parse_value("-.5") == Value{-0.5});
  REQUIRE(parse_value("16x16") == Value{std::string("16x16")});
  REQUIRE(parse_value("inf") == Value{std::string("inf")});
  REQUIRE(parse_value("") == Value{std::string()});
  REQUIRE(parse_value("99999999999999999999") == Value{1e20});
}

TEST_CASE("4 and 4.0 are the same value and 4 and true are not") {
  REQUIRE(same_value(std::int64_t{4}, 4.0));
  REQUIRE(same_value(4.0, std::int64_t{4}));
  REQUIRE_FALSE(same_value(std::int64_t{4}, 4.5));
  REQUIRE_FALSE(same_value(std::int64_t{1}, true));
  REQUIRE_FALSE(same_value(std::numeric_limits<std::int64_t>::max(), 9223372036854775808.0));
  REQUIRE(same_value(std::string("a"), std::string("a")));
}

TEST_CASE("a configuration prints sorted by name and survives JSON") {
  const Config config{{"VEC", std::int64_t{4}}, {"BLOCK", std::int64_t{128}}, {"alpha", 0.25}, {"fast", true}};
  REQUIRE(to_text(config) == "BLOCK=128 VEC=4 alpha=0.25 fast=true");
  REQUIRE(to_text(Config{}) == "");
  REQUIRE(config_from_json(parse_json(json_text(config_to_json(config)))) == config);
  REQUIRE_THROWS_AS(config_from_json(json::array()), Error);
}

TEST_CASE("values survive JSON text, infinities included") {
  for (const Value& value : {Value{false}, Value{std::int64_t{7}}, Value{7.0},
                             Value{-std::numeric_limits<double>::infinity()}, Value{std::string("x")}}) {
    REQUIRE(value_from_json(parse_json(json_text(value_to_json(value)))) == value);
  }
  REQUIRE_THROWS_AS(value_from_json(nullptr), Error);
}
