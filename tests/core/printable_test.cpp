#include "harness/core/printable.h"

#include <catch2/catch.hpp>

using namespace harness;

TEST_CASE("what a terminal obeys is shown instead") {
  struct Case {
    std::string text, shown;
  };
  for (const Case& c : std::vector<Case>{
           {"plain text, 2 \xc2\xb5s, \xe2\x82\xac, \xf0\x9f\x98\x80",
            "plain text, 2 \xc2\xb5s, \xe2\x82\xac, \xf0\x9f\x98\x80"},
           {"\x1b]0;title\x07", "\\x1b]0;title\\x07"},
           {"\x1b[2J\x1b[1;1H", "\\x1b[2J\\x1b[1;1H"},
           {"50 %\rdone", "50 %\\x0ddone"},
           {std::string("a\0b\b\x7f", 5), "a\\x00b\\x08\\x7f"},
           {"\xc2\x9b"
            "31m",
            "\\u009b31m"},  // C1: an escape sequence in one character
           {"a\xe2\x80\xae"
            "b\xe2\x81\xa6",
            "a\\u202eb\\u2066"},  // right to left
           {"\xe2\x80\xa8", "\\u2028"},
           {"\x9b"
            "31m\xff",
            "\\x9b31m\\xff"},  // no UTF-8
           {"\xc2", "\\xc2"},
       }) {
    CHECK(printable(c.text, Lines::one) == c.shown);
    CHECK(printable(c.text, Lines::many) == c.shown);
  }
}

TEST_CASE("line ends and tabs stay only where a text has lines") {
  CHECK(printable("a\n\tb\r\nc", Lines::many) == "a\n\tb\r\nc");
  CHECK(printable("a\n\tb\r\nc", Lines::one) == "a  b  c");
}

TEST_CASE("JSON for a terminal is the same JSON") {
  const json value = {{"k\x7f", "\x1b[31m \xc2\x9b \xe2\x80\xae \xc3\xa9 \n"}, {"n", 1.5}};
  const std::string text = printable_json(value);
  CHECK(parse_json(text) == value);
  for (const char c : text) CHECK((static_cast<unsigned char>(c) >= 0x20 && c != 0x7f));
  CHECK(text.find("\xc2\x9b") == std::string::npos);
  CHECK(text.find("\xe2\x80\xae") == std::string::npos);
  CHECK(text.find("\xc3\xa9") != std::string::npos);
}

TEST_CASE("things are counted in words") {
  CHECK(counted(1, "launch") == "1 launch");
  CHECK(counted(3, "launch") == "3 launches");
  CHECK(counted(0, "workload") == "0 workloads");
}
