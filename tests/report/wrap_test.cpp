#include "harness/report/wrap.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "harness/report/table.h"

using namespace harness::report;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

}  // namespace

TEST_CASE("long lines go on below themselves, in the column of their text, and lose nothing") {
  const std::string text =
      "short\n"
      "rules     one two three four five six seven eight nine ten eleven twelve\n"
      "  an indented sentence that is longer than the terminal is wide, and that goes on\n";
  for (const std::size_t width : {30, 40, 60}) {
    const std::string shown = wrapped(text, width);
    INFO(shown);
    for (const std::string& line : lines_of(shown)) CHECK(display_width(line) <= width);
    CHECK(without_blanks(shown) == without_blanks(text));
  }
  CHECK(lines_of(wrapped(text, 40))[2].starts_with("          "));
  CHECK(wrapped(text, std::nullopt) == text);
  const std::string word(50, 'x');
  CHECK(wrapped("a " + word + " b", 20) == "a\n  " + word + "\n  b");  // a single word is never broken
}

TEST_CASE("a piece ends at a blank, else behind a mark, else anywhere") {
  CHECK(pieces("one two three", 8) == std::vector<std::string>{"one two", "three"});
  CHECK(pieces("A={1,2,3,4}", 6) == std::vector<std::string>{"A={1,", "2,3,4}"});
  CHECK(pieces("abcdefgh", 3) == std::vector<std::string>{"abc", "def", "gh"});
  CHECK(pieces("\u00fc\u00fc\u00fc\u00fc", 2) == std::vector<std::string>{"\u00fc\u00fc", "\u00fc\u00fc"});
  CHECK(pieces("", 3) == std::vector<std::string>{""});
}

TEST_CASE("a table is never wider than it may be, and every cell is still there") {
  const Table table{{"name", "speedup", "summary"},
                    {{"first", "10.2x", "the first of these has a summary that needs more than one line to be told"},
                     {"second_with_a_long_name", "1.1x", "short"}}};
  for (const std::size_t width : {40, 60, 80}) {
    const std::string text = aligned(table, width);
    INFO(text);
    for (const std::string& line : lines_of(text)) CHECK(display_width(line) <= width);
    for (const char* word : {"10.2x", "1.1x", "short", "first"}) CHECK(text.find(word) != std::string::npos);
  }
  Table many{{}, {{}}};
  for (int i = 0; i < 12; ++i) {
    many.columns.push_back("column " + std::to_string(i));
    many.rows[0].push_back("cell " + std::to_string(i));
  }
  const std::string blocks = aligned(many, 60);
  for (const std::string& line : lines_of(blocks)) CHECK(display_width(line) <= 60);
  CHECK(blocks.find("column 11  cell 11") != std::string::npos);
}
