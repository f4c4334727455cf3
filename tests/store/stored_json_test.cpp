#include "harness/store/stored_json.h"

#include <catch2/catch.hpp>

using namespace harness::store;

TEST_CASE("JSON that is damaged or nested absurdly deep is no JSON") {
  CHECK(parsed_json("{\"a\":[1,2]}") == nlohmann::json{{"a", {1, 2}}});
  CHECK_FALSE(parsed_json("{"));
  CHECK_FALSE(parsed_json(""));
  CHECK_FALSE(parsed_json(std::string(1000, '[') + std::string(1000, ']')));
}
