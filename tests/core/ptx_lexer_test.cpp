#include "harness/core/ptx_lexer.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <string>

#include "tests/support/turns.h"

using namespace harness;

namespace {

std::string tokens(std::string_view text, PtxReading reading = {}) {
  PtxLexer lexer(text, reading);
  std::string all;
  for (PtxToken token; lexer.next(token);) {
    if (!all.empty()) all += ' ';
    all += token.kind == PtxToken::Kind::text ? "'" + std::string(token.text) + "'" : std::string(token.text);
  }
  return all;
}

double seconds_of(const std::string& text, PtxReading reading) {
  const auto start = std::chrono::steady_clock::now();
  PtxLexer lexer(text, reading);
  for (PtxToken token; lexer.next(token);) {
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

TEST_CASE("PTX comes apart into words, numbers, strings and marks") {
  CHECK(tokens("@%p1 ld.global.L2::evict_last.f32 %f1, [%rd1+0x10];") ==
        "@ %p1 ld . global . L2 : : evict_last . f32 %f1 , [ %rd1 + 0x10 ] ;");
  CHECK(tokens("$L__BB0_2:\nmov.f32 %f2, 0f3F800000; // one\n") == "$L__BB0_2 : mov . f32 %f2 , 0f3F800000 ;");
  CHECK(tokens(".pragma \"nounroll\";") == ". pragma 'nounroll' ;");
  CHECK(tokens("%a%b") == "%a %b");
  CHECK(tokens("").empty());
}

TEST_CASE("a comment sign in a string begins no comment, and a quote in a comment no string") {
  CHECK(tokens(".pragma \"a // b\"; ret;") == ". pragma 'a // b' ; ret ;");
  CHECK(tokens(".pragma \"a /* b\"; ret; /* \" */ bar;") == ". pragma 'a /* b' ; ret ; bar ;");
  CHECK(tokens("a // \" b\nc") == "a c");
  CHECK(tokens("a /* // */ b /* never closed") == "a b");
  CHECK(tokens("a /b") == "a / b");
  CHECK(tokens("a // b\rc") == "a c");
}

TEST_CASE("strings that another assembler could end elsewhere raise a doubt and can be read the other way") {
  const std::string escaped = R"("a\" // "; mov;)";
  PtxLexer lexer(escaped);
  for (PtxToken token; lexer.next(token);) {
  }
  CHECK(lexer.doubts().escapes);
  CHECK_FALSE(lexer.doubts().multiline);
  CHECK(tokens(escaped, {true, false}) == "'a\\\" // ' ; mov ;");
  CHECK(tokens("\"a\nb\" c", {false, true}) == "'a\nb' c");
  CHECK(tokens("\"a\nb") == "'a' b");
  CHECK(tokens("\"a\\") == "'a\\'");
}

TEST_CASE("tokens know their lines") {
  PtxLexer lexer("a\n/* two\nlines */ b\r\n\"c\" d");
  std::string lines;
  for (PtxToken token; lexer.next(token);) lines += std::to_string(token.line);
  CHECK(lines == "1344");
}

TEST_CASE("megabytes of anything take a moment") {
  const std::size_t bytes = (tests::takes_all() ? 50 : 10) << 20;
  std::size_t index = 0;
  for (const char* const piece :
       {"\"", "/", "/*", "\\", "%", "a", ":", "\"\\\n", "// x\n", "/**/", "\xff", "@%p bra $L;\n"}) {
    if (!tests::in_slice(index++, 2)) continue;
    std::string text;
    text.reserve(bytes);
    while (text.size() + 16 < bytes) text += piece;
    INFO(piece);
    CHECK(seconds_of(text, {}) < 10);
    CHECK(seconds_of(text, {true, true}) < 10);
  }
}
