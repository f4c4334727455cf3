#include "harness/core/utf8.h"

#include <catch2/catch.hpp>

using namespace harness;

TEST_CASE("well-formed UTF-8 is kept, every other byte is replaced") {
  const std::string kept = "plain, \xc3\xa9, \xe2\x82\xac, \xf0\x9f\x98\x80";
  CHECK(valid_utf8(kept) == kept);
  CHECK(valid_utf8("\xe9t\xe9") == "\xef\xbf\xbdt\xef\xbf\xbd");
  CHECK(valid_utf8("\xc0\xaf") == "\xef\xbf\xbd\xef\xbf\xbd");          // overlong
  CHECK(valid_utf8("\xed\xa0\x80").find("\xed") == std::string::npos);  // surrogate
  CHECK(valid_utf8("\xe2\x82") == "\xef\xbf\xbd\xef\xbf\xbd");          // cut off
}
