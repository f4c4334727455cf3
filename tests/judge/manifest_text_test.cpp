#include "harness/judge/manifest_text.h"

#include <catch2/catch.hpp>

using namespace harness;
using namespace harness::judge;

TEST_CASE("a define's value is a literal, a name or an expression of those") {
  for (const char* text :
       {"4", "0x1p-3f", "1'000'000", "1.5e-3f", "-4", "true", "__half", "unsigned int", "harness::Vec<4>",
        "(BLOCK + 31) / 32 * 32", "N > 4 ? 2 : 1", "a << 3 | 7", "MIN(A, B)", "!x && ~y", ""}) {
    INFO(text);
    CHECK(is_expression(text));
  }
  for (const char* text : {"4; evil()",    "\"text\"",     "'c'",
                           "{ 1 }",        "x = 4",        "x += 1",
                           "i++",          "asm(nothing)", "__attribute__((noinline))",
                           "4 // rest",    "4 /* rest */", "a)(b",
                           "(a",           "return x",     "[] (int) 3",
                           "#x",           "a ## b",       "x\\",
                           "4\nevil",      "p->q",         "decltype(x)",
                           "static int y", "u8\"x\"",      "R\"(x)\""}) {
    INFO(text);
    CHECK_FALSE(is_expression(text));
  }
}

TEST_CASE("an entry is the name of a function") {
  for (const char* text : {"scale", "::ns::scale", "scale<float>", "ns::scale<__half, 4, true>", "f<(1 > 0), Vec<4>>",
                           "scale <float>", "f<sizeof(float)>"}) {
    INFO(text);
    CHECK(is_entry_name(text));
  }
  for (const char* text : {"", "scale()", "scale, evil", "scale<float>, evil", "scale<float>::x", "f<1>(2)", "4", "f;g",
                           "f<>>", "f<\"x\">", "(f)", "f + g", "operator+", "f<(1>", "struct x"}) {
    INFO(text);
    CHECK_FALSE(is_entry_name(text));
  }
}

TEST_CASE("what a manifest brings into a build is looked at like the source") {
  const auto categories = [](const BuildSpec& build) {
    std::vector<std::string> found;
    for (const PolicyFlag& flag : scan_manifest(build)) found.push_back(flag.category);
    return found;
  };
  BuildSpec build{.source_name = "k.cu", .source = "__global__ void k() { long t = NOW(); }", .entries = {"k"}};
  CHECK(categories(build).empty());
  build.defines = {{"BLOCK", "128"}, {"T", "__half"}};
  CHECK(categories(build).empty());
  build.defines = {{"NOW", "clock64"}};
  CHECK(categories(build) == std::vector<std::string>{"timers"});
  build.defines = {{"KEEP", "__attribute__((no_sanitize_thread))"}};
  CHECK(categories(build) == std::vector<std::string>{"manifest", "instrumentation"});
  build.defines = {{"PART", "clo"}};
  build.source = "#define JOIN(a, b) a##b\n#define NAME(a, b) JOIN(a, b)\nlong t = NAME(PART, ck64)();";
  CHECK(categories(build) == std::vector<std::string>{"timers"});
  build.defines = {{"A B", "1"}};
  CHECK(categories(build) == std::vector<std::string>{"manifest"});
  build.defines.clear();
  build.entries = {"k<[]{ return 1; }()>"};
  CHECK(categories(build).front() == "manifest");
}
