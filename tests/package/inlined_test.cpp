#include "harness/package/inlined.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "harness/core/error.h"
#include "tests/support/program.h"

using namespace harness;
using namespace harness::package;
using harness::tests::Scratch;

namespace {

BuildSpec build_in(const Scratch& scratch, const std::string& source) {
  BuildSpec build;
  build.source_name = "x.cu";
  build.source = source;
  build.include_dirs = {scratch.path("own"), scratch.path("kernel")};
  std::filesystem::create_directories(scratch.path("own"));
  std::filesystem::create_directories(scratch.path("kernel"));
  return build;
}

int count(const std::string& text, const std::string& what) {
  int found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("headers stand where they were included, dependencies first, each once") {
  const Scratch scratch;
  scratch.write("kernel/low.cuh", "#pragma once\nint low;\n");
  scratch.write("kernel/high.cuh", "#pragma once\n#include \"low.cuh\"\nint high;\n");
  const BuildSpec build =
      build_in(scratch, "#include <low.cuh>\n#include \"high.cuh\"\n#include <cuda_fp16.h>\nint x;\n");
  const InlinedSource made = inline_headers(build, Outside::stay);
  CHECK(count(made.text, "int low;") == 1);
  CHECK(made.text.find("int low;") < made.text.find("int high;"));
  CHECK(made.text.find("int high;") < made.text.find("#include <cuda_fp16.h>"));
  CHECK(made.text.find("#pragma once") == std::string::npos);
  CHECK(made.headers == std::vector<std::string>{"low.cuh", "high.cuh"});
}

TEST_CASE("a header of the toolkit can be taken out of the text") {
  const Scratch scratch;
  const BuildSpec build =
      build_in(scratch, "#include <cuda_fp16.h>\n#define TILE 4\n  #  include <cuda_fp16.h>\nint x;\n");
  const InlinedSource made = inline_headers(build, Outside::out);
  CHECK(made.text == "#define TILE 4\nint x;\n");
  CHECK(made.outside == std::vector<std::string>{"#include <cuda_fp16.h>"});
  CHECK(made.macros == std::vector<std::string>{"TILE"});
}

TEST_CASE("a header that was skipped in one place is there in the other") {
  const Scratch scratch;
  scratch.write("kernel/both.cuh", "#pragma once\nint both;\n");
  const BuildSpec build =
      build_in(scratch, "#ifdef NEVER\n#include \"both.cuh\"\n#endif\n#include \"both.cuh\"\nint x = both;\n");
  const InlinedSource made = inline_headers(build, Outside::stay);
  CHECK(count(made.text, "int both;") == 2);
  CHECK(count(made.text, "#ifndef HARNESS_INLINED_1\n") == 2);
  CHECK(made.macros == std::vector<std::string>{"HARNESS_INLINED_1"});
}

TEST_CASE("a header without a guard is there as often as it is included") {
  const Scratch scratch;
  scratch.write("kernel/row.inc", "ROW\n");
  CHECK(count(inline_headers(build_in(scratch, "#include \"row.inc\"\n#include \"row.inc\"\n"), Outside::stay).text,
              "ROW\n") == 2);
  scratch.write("kernel/guarded.cuh", "// a comment\n#ifndef G\n#define G\nint g;\n#endif\n");
  CHECK(
      count(
          inline_headers(build_in(scratch, "#include \"guarded.cuh\"\n#include \"guarded.cuh\"\n"), Outside::stay).text,
          "int g;") == 1);
}

TEST_CASE("what stands in a comment is no directive") {
  const Scratch scratch;
  scratch.write("kernel/x.cuh", "int never;\n");
  const std::string source =
      "/*\n#include \"x.cuh\"\n*/ const char* s = \"/*\"; // \"\n// \\\n#include \"x.cuh\"\nint y = 1'000;\n";
  CHECK(inline_headers(build_in(scratch, source), Outside::stay).text == source);
}

TEST_CASE("a header stands where it was included, in whatever spelling") {
  const Scratch scratch;
  scratch.write("kernel/x.cuh", "int here;\n");
  for (const char* spelling :
       {"/**/#include \"x.cuh\"\n", "%:include <x.cuh>\n", "#inc\\\nlude \"x.cuh\" /* of\ntwo lines */\n",
        "#define X <x.cuh>\n#include X\n", "/* a\n*/ # /**/ include<x.cuh>", "#import <x.cuh>\n#import <x.cuh>\n"}) {
    INFO(spelling);
    const InlinedSource made = inline_headers(build_in(scratch, std::string("int a;\n") + spelling), Outside::stay);
    CHECK(count(made.text, "int here;\n") == 1);
    CHECK(count(made.text, "clude") == 0);
    CHECK(made.text.starts_with("int a;\n"));
  }
  CHECK_THROWS_WITH(inline_headers(build_in(scratch, "#include ANY\n"), Outside::stay),
                    Catch::Contains("'#include ANY'"));
}

TEST_CASE("the next header of a name lies in a folder behind the first one's") {
  const Scratch scratch;
  const BuildSpec build = build_in(scratch, "#include <x.cuh>\n");
  scratch.write("own/x.cuh", "int first;\n#include_next <x.cuh>\n");
  scratch.write("kernel/x.cuh", "int second;\n");
  const std::string text = inline_headers(build, Outside::stay).text;
  CHECK((count(text, "int first;") == 1 && count(text, "int second;") == 1));
}

TEST_CASE("a question for a header that stands in the text is answered there") {
  const Scratch scratch;
  scratch.write("kernel/x.cuh", "int x;\n");
  const std::string source = "#if __has_include(\"x.cuh\") && !__has_include( <y.h> )\nint y;\n#endif\n";
  CHECK(inline_headers(build_in(scratch, source), Outside::stay).text ==
        "#if 1 && !__has_include( <y.h> )\nint y;\n#endif\n");
}

TEST_CASE("nothing outside of the build's folders is read") {
  const Scratch scratch;
  scratch.write("secret.txt", "int secret;\n");
  const std::string source = "#include \"../secret.txt\"\n#include \"" + scratch.path("secret.txt") + "\"\n";
  const BuildSpec build = build_in(scratch, source);
  std::filesystem::create_symlink(scratch.path("secret.txt"), scratch.path("kernel/link.cuh"));
  CHECK(inline_headers(build, Outside::stay).text == source);
  CHECK(inline_headers(build_in(scratch, "#include \"link.cuh\"\n"), Outside::stay).text == "#include \"link.cuh\"\n");
}

TEST_CASE("headers that include each other without end are refused") {
  const Scratch scratch;
  scratch.write("kernel/a.cuh", "#include \"a.cuh\"\n");
  CHECK_THROWS_WITH(inline_headers(build_in(scratch, "#include \"a.cuh\"\n"), Outside::stay),
                    Catch::Contains("without end"));
  scratch.write("kernel/b.cuh", "#pragma once\n#include \"b.cuh\"\nint b;\n");
  CHECK(count(inline_headers(build_in(scratch, "#if 1\n#include \"b.cuh\"\n#endif\n"), Outside::stay).text, "int b;") ==
        1);
}

TEST_CASE("a text whose headers stand in it goes back to its includes, and a header that was edited stays") {
  const Scratch scratch;
  scratch.write("kernel/low.cuh", "#pragma once\nint low;\n");
  scratch.write("kernel/high.cuh", "#pragma once\n#include \"low.cuh\"\nint high;\n");
  scratch.write("kernel/more.cuh", "#ifdef MORE\n#include \"low.cuh\"\n#endif\nint more;\n");
  BuildSpec build = build_in(scratch, "");
  const auto inlined = [&](const std::string& source) {
    build.source = source;
    return inline_headers(build, Outside::stay).text;
  };
  const auto folded = [&](const std::string& source) {
    build.source = source;
    return with_headers_folded(build);
  };
  const auto edited = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  const std::string source = "#include \"high.cuh\"\n#include \"more.cuh\"\n#include <cuda_fp16.h>\nint x;\n";
  const std::string text = inlined(source);
  CHECK(folded(text) == source);
  CHECK(folded(source) == source);
  CHECK(folded("// mine\n" + edited(text, "int x;", "int y;")) == "// mine\n" + edited(source, "int x;", "int y;"));
  // What was edited in a header is the author's now, and what includes it, too; the others go back.
  CHECK(folded(edited(text, "int more;", "int less;")) == edited(edited(text, "int more;", "int less;"),
                                                                 text.substr(0, text.find("// ---- more.cuh")),
                                                                 "#include \"high.cuh\"\n"));
  const std::string other_low = folded(edited(text, "int low;", "int deep;"));
  CHECK(count(other_low, "int deep;") == 1);
  CHECK(count(other_low, "#include \"high.cuh\"") == 0);
  // Marks of nobody, or without an end, are comments.
  for (const char* marks : {"// ---- none.cuh\nint z;\n// ---- end of none.cuh\n", "// ---- low.cuh\nint z;\n"})
    CHECK(folded(marks + source) == marks + source);
}
