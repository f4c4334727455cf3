#include "harness/cpp_text/text.h"

#include <catch2/catch.hpp>

using namespace harness::cpp_text;
using Words = std::vector<std::string>;

namespace {

Words texts(const Tokens& tokens) {
  Words words;
  for (const Token& token : tokens) words.emplace_back(token.text);
  return words;
}

Words texts(const std::string& text) {
  return texts(tokens_of(text));
}

}  // namespace

TEST_CASE("a text is words, numbers, literals, signs and directives") {
  CHECK(texts("a+=b<<<1'000,0x1p-3>>>(u8\"x\\\"y\", L'\\'', 1.5e+3f)") == Words{"a", "+=", "b", "<<<", "1'000", ",",
                                                                                "0x1p-3", ">>>", "(", "u8\"x\\\"y\"",
                                                                                ",", "L'\\''", ",", "1.5e+3f", ")"});
  CHECK(texts("a /* b */ c // d\ne") == Words{"a", "c", "e"});
  CHECK(texts("# define A /*\n*/ b \\\n c\nd") == Words{"# define A /*\n*/ b \\\n c", "d"});
  CHECK(texts("a # b\n  /**/ %: c") == Words{"a", "#", "b", "%: c"});
}

TEST_CASE("tokens say where they are written") {
  const std::string text =
      "\xEF\xBB\xBF"
      "in\\\nt a;\n/*\n*/ b";
  const Tokens tokens = tokens_of(text);
  REQUIRE(texts(tokens) == Words{"int", "a", ";", "b"});
  CHECK(text.substr(tokens[0].begin, tokens[0].end - tokens[0].begin) == "in\\\nt");
  CHECK(tokens[1].begin == text.find('a'));
  CHECK((tokens[0].line == 1 && tokens[1].line == 2 && tokens[3].line == 4));
  CHECK((tokens[1].spaced && !tokens[2].spaced && tokens[3].spaced));
}

TEST_CASE("lines are spliced before anything is read, but not within a raw string") {
  CHECK(texts("a // b \\\n c\nd") == Words{"a", "d"});
  CHECK(texts("/\\\n/ a\nb /\\\n* c *\\\r\n/ d") == Words{"b", "d"});
  CHECK(texts("\"a\\\nb\" x") == Words{"\"ab\"", "x"});
  CHECK(texts("R\"(a\\\nb)\" x") == Words{"R\"(a\\\nb)\"", "x"});
  CHECK(texts("R\"d(\")\"\n#a\n)d\" x") == Words{"R\"d(\")\"\n#a\n)d\"", "x"});
  CHECK(texts("a\\") == Words{"a", "\\"});
}

TEST_CASE("a raw string begins at its prefix, not at a word or a suffix that ends like one") {
  CHECK(texts("u8R\"(\n)\" LR\"(\n)\"") == Words{"u8R\"(\n)\"", "LR\"(\n)\""});
  CHECK(texts("FOOR\"(\"") == Words{"FOOR", "\"(\""});
  CHECK(texts("\"a\"R\"(\" b") == Words{"\"a\"", "R", "\"(\"", "b"});
  CHECK(texts("1R\"(\" $R\"(\" \xC3\xA9R\"(\"") == Words{"1R", "\"(\"", "$R", "\"(\"", "\xC3\xA9R", "\"(\""});
}

TEST_CASE("a literal that is left open ends with its line") {
  CHECK(texts("don't /*\nx") == Words{"don", "'t /*", "x"});
  CHECK(texts("\"a\\n\nb") == Words{"\"a\\n", "b"});
}

TEST_CASE("a directive has a name and tokens, and an include a header's name") {
  const auto directives = directives_of("#include <a//b/*c.h> // d\n  # define F(x) x\n#\n#if __has_include(<e//f>)\n");
  REQUIRE(directives.size() == 4);
  CHECK(directives[0].name.text == "include");
  CHECK(texts(directives[0].tokens) == Words{"<a//b/*c.h>"});
  CHECK(texts(directives[1].tokens) == Words{"F", "(", "x", ")", "x"});
  CHECK((directives[2].name.text.empty() && directives[2].tokens.empty()));
  CHECK(texts(directives[3].tokens) == Words{"__has_include", "(", "<e//f>", ")"});
}

TEST_CASE("a text has as many dialects as it has places that compilers read differently") {
  CHECK(dialects_of("#include \"a\"\r\nint b = 1 / 2; // \\\nchar c = '\\\\';").size() == 1);
  CHECK(dialects_of("?\?/").size() == 2);
  CHECK(dialects_of("// \\ \n").size() == 2);
  CHECK(dialects_of("\r").size() == 2);
  CHECK(dialects_of("\"a\"R\"(b)\"").size() == 2);
  CHECK(dialects_of("#include <a/*b>").size() == 2);
  CHECK(dialects_of("?\?/ \n\r'a'u8R\"()\"").size() == 16);
}
