#include "harness/store/text.h"

#include <catch2/catch.hpp>

using namespace harness::store;

TEST_CASE("well-formed UTF-8 is kept, every other byte is replaced") {
  const std::string kept = "plain, \xc3\xa9, \xe2\x82\xac, \xf0\x9f\x98\x80";
  CHECK(valid_utf8(kept) == kept);
  CHECK(valid_utf8("\xe9t\xe9") == "\xef\xbf\xbdt\xef\xbf\xbd");
  CHECK(valid_utf8("\xc0\xaf") == "\xef\xbf\xbd\xef\xbf\xbd");          // overlong
  CHECK(valid_utf8("\xed\xa0\x80").find("\xed") == std::string::npos);  // surrogate
  CHECK(valid_utf8("\xe2\x82") == "\xef\xbf\xbd\xef\xbf\xbd");          // cut off
}

TEST_CASE("JSON that is damaged or nested absurdly deep is no JSON") {
  CHECK(parsed_json("{\"a\":[1,2]}") == nlohmann::json{{"a", {1, 2}}});
  CHECK_FALSE(parsed_json("{"));
  CHECK_FALSE(parsed_json(""));
  CHECK_FALSE(parsed_json(std::string(1000, '[') + std::string(1000, ']')));
}
