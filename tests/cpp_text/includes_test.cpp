#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "harness/cpp_text/closure.h"
#include "tests/support/program.h"

// The reader against the compiler: whatever g++ says that it read must be in the closure.
using namespace harness;
using namespace harness::cpp_text;
using harness::tests::Scratch;
namespace fs = std::filesystem;

namespace {

using Names = std::set<std::string>;

Names closure_names(const IncludeClosure& closure) {
  Names names;
  for (const IncludedFile& file : closure.files) names.insert(file.path.filename().string());
  return names;
}

/// A folder with headers, and texts that include them.
struct Folder {
  Scratch scratch;
  std::string name = fs::canonical(scratch.path("")).string();

  Folder() {
    scratch.write("x.cuh", "int x;\n");
    scratch.write("sub/inner.cuh", "#include \"beside.cuh\"\n#include <x.cuh>\n");
    scratch.write("sub/beside.cuh", "int beside;\n");
  }
  IncludeClosure read(const std::string& text) const { return include_closure(text, "k.cu", name, {name}); }

  /// What g++ lists of the folder for each of the texts; nothing: there is no g++. A text that it rejects counts as far
  /// as it was read.
  std::vector<Names> compiled(const std::vector<std::string>& texts, const std::string& standard = "c++17") const {
    std::vector<Names> all;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::string file = fmt::format("text{}.cpp", i);
      scratch.write(file, texts[i]);
      const auto listed = tests::run_program({"g++", "-M", "-std=" + standard, "-I" + name, file}, name);
      if (listed.out.empty() && listed.status == 127) return {};
      Names names;
      for (const char* header : {"x.cuh", "inner.cuh", "beside.cuh"})
        if (listed.out.find(std::string("/") + header) != std::string::npos ||
            listed.out.find(std::string(" ") + header) != std::string::npos)
          names.insert(header);
      all.push_back(names);
      fs::remove(scratch.path(file));
    }
    return all;
  }
};

/// One include of x.cuh from parts, in the spelling with this number. Each part has its own stride, so that neighbours
/// differ in all of them.
std::string spelling(std::size_t number) {
  constexpr std::array<const char*, 7> kBefore = {"",     " \t",           "/**/",        "/* a\n b */ ",
                                                  "\v\f", "int a; // b\n", "\xEF\xBB\xBF"};
  constexpr std::array<const char*, 4> kHash = {"#", "%:", "# /* c */ ", "#\\\n"};
  constexpr std::array<const char*, 6> kWord = {"include",       "inc\\\nlude",  "inc\\ \t\nlude",
                                                "inc\\\r\nlude", "include_next", "import"};
  constexpr std::array<const char*, 5> kBetween = {"", " ", "/* c */", "\\\n", "\t/* a\n b */"};
  constexpr std::array<const char*, 7> kName = {"\"x.cuh\"",     "<x.cuh>",         "\"sub/../x.cuh\"", "<./x.cuh>",
                                                "\"x.\\\ncuh\"", "<sub//../x.cuh>", " NESTED"};
  constexpr std::array<const char*, 6> kBehind = {"\n", "", "\r\n", " // c\n", " /* a\n b */\n", " int b;\n"};
  const auto part = [&](const auto& parts, std::size_t stride) {
    return std::string(parts[number * stride % parts.size()]);
  };
  const std::string name = part(kName, 3), before = part(kBefore, 1);
  const std::string macros = name == " NESTED" ? "#define NAME <x.cuh>\n# define NESTED /* of */ NAME\n" : "";
  return (before.starts_with("\xEF") && !macros.empty() ? ""
          : before.starts_with("\xEF")                  ? before
                                                        : macros + before) +
         (before.starts_with("\xEF") ? macros : "") + part(kHash, 1) + part(kWord, 5) + part(kBetween, 2) + name +
         part(kBehind, 5);
}

}  // namespace

TEST_CASE("an include in any of sixty spellings is read, as g++ reads it") {
  const Folder folder;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 60; ++i) texts.push_back(spelling(i));
  REQUIRE(Names(texts.begin(), texts.end()).size() == 60);
  const std::vector<Names> compiled = folder.compiled(texts);
  if (compiled.empty()) WARN("there is no g++ to compare with");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    INFO(texts[i]);
    const IncludeClosure closure = folder.read(texts[i]);
    CHECK(closure.refused.empty());
    CHECK(closure_names(closure) == Names{"x.cuh"});
    if (!compiled.empty()) CHECK(compiled[i] == Names{"x.cuh"});
  }
}

TEST_CASE("what only looks like an include is none, to g++ either") {
  const Folder folder;
  const std::vector<std::string> texts{"// #include \"x.cuh\"\n",
                                       "/*\n#include \"x.cuh\"\n*/\n",
                                       "// a \\\n#include \"x.cuh\"\n",
                                       "const char* a = R\"(\n#include \"x.cuh\"\n)\";\n",
                                       "const char* a = LR\"d(\n)\"\n#include \"x.cuh\"\n)d\" \"b\" == 0 ? 0 : \"\";\n",
                                       "const char* a = \"\\\n#include \\\"x.cuh\\\"\";\n",
                                       "int a; #include \"x.cuh\"\n",
                                       "#define A #include \"x.cuh\"\n",
                                       "#pragma include \"x.cuh\"\n",
                                       "#include_this \"x.cuh\"\n",
                                       "int included = 0; // \"x.cuh\"\n",
                                       "#if 0\nconst char* a = R\"(\n#include \"x.cuh\"\n)\";\n#endif\n",
                                       "char a = '\"'; // \"\n/* \"\n#include \"x.cuh\" */\n",
                                       "int a = 1'000; /*\n#include \"x.cuh\" */\n"};
  const std::vector<Names> compiled = folder.compiled(texts);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    INFO(texts[i]);
    CHECK(folder.read(texts[i]).files.empty());
    if (!compiled.empty()) CHECK(compiled[i].empty());
  }
}

TEST_CASE("what g++ reads is in the closure, however the text misleads") {
  const Folder folder;
  const std::vector<std::string> texts{
      "#include \"sub/inner.cuh\"\n",
      "#if 0\n#else\n#include \"x.cuh\"\n#endif\n",
      "#ifdef __cplusplus\n#include \"x.cuh\"\n#endif\n",
      "#if __has_include(\"x.cuh\") && __has_include( <sub/inner.cuh> )\n#include <x.cuh>\n#endif\n",
      "#define HAS(x) __has_include(x)\n#if HAS(\"x.cuh\")\n#include \"x.cuh\"\n#endif\n",
      "#if 0\ndon't /*\n#endif\n#include \"x.cuh\"\n//*/\n",
      "const char* a = \"a\"R\"(\" \n#include \"x.cuh\"\n\")\";\n",
      "#define R\nconst char* a = \"a\"R\"(\" /* )\";\n#include \"x.cuh\"\n/* */\n",
      "#define FOOR\nconst char* a = FOOR\"(\";\n#include \"x.cuh\"\n",
      "int a = 1'0; // '\n#include \"x.cuh\"\n",
      "int a;\r#include \"x.cuh\"\n",
      "// a\r#include \"x.cuh\"\n",
      "#inc\\\rlude \"x.cuh\"\n",
      "#define S R\"(\\\n)\"\n#include \"x.cuh\"\n",
      "#define F(x) x\nF(\n#include \"x.cuh\"\n)\n",
      "#define A /*\n*/\n#include \"x.cuh\"\n",
      std::string("#\0include \"x.cuh\"\n", 18),
      "#line 1 \"elsewhere/k.cu\"\n#include \"x.cuh\"\n",
      "#define N x\n#define H <x.cuh>\n#undef N\n#include H\n",
      "#ifdef A\n#define H \"sub/inner.cuh\"\n#else\n#define H \"x.cuh\"\n#endif\n#include H\n",
      "#define HEADER(name) <sub/name>\n#include HEADER(inner.cuh)\n"};
  const std::vector<Names> compiled = folder.compiled(texts);
  for (std::size_t i = 0; i < compiled.size(); ++i) {
    INFO(texts[i]);
    const IncludeClosure closure = folder.read(texts[i]);
    CHECK_FALSE(compiled[i].empty());
    const Names names = closure_names(closure);
    CHECK((!closure.refused.empty() ||
           std::includes(names.begin(), names.end(), compiled[i].begin(), compiled[i].end())));
  }
  CHECK(folder.read(texts[1]).files.size() == 1);
  CHECK(folder.read(texts[19]).files.size() == 3);  // both definitions
}

TEST_CASE("trigraphs are read, for compilers of C++14 do") {
  const Folder folder;
  const std::vector<std::string> texts{"?\?=include \"x.cuh\"\n", "#inc?\?/\nlude \"x.cuh\"\n",
                                       "// a ?\?/\n#include \"x.cuh\"\n"};
  for (const std::string& text : texts) {
    INFO(text);
    CHECK(closure_names(folder.read(text)) == Names{"x.cuh"});  // the last one: to C++17 it is no comment
  }
  const std::vector<Names> compiled = folder.compiled(texts, "c++14");
  if (!compiled.empty()) CHECK(compiled == std::vector<Names>{{"x.cuh"}, {"x.cuh"}, {}});
}

TEST_CASE("NVRTC splices no line with blanks behind its backslash, and takes a lone return for a blank") {
  const Folder folder;
  for (const char* text : {"// a \\ \n#include \"x.cuh\"\n", "#\rinclude \"x.cuh\"\n"}) {
    INFO(text);
    CHECK(closure_names(folder.read(text)) == Names{"x.cuh"});
  }
}

TEST_CASE("an include whose file the text does not tell is refused with one sentence") {
  const Folder folder;
  for (const char* text :
       {"\n#include NAME\n", "#define NAME <x.cuh>\n#ifdef A\n#define NAME OTHER(1)\n#endif\n#include NAME\n",
        "\n#define S(x) #x\n#include S(x.cuh)\n", "#define A B\n#define B A\n#include A\n",
        "#define NAME \"x\" \".cuh\"\n#include NAME\n", "\n#include __FILE__\n",
        "#define NAME <OUTER>\n#define OUTER x\n#include NAME\n", "#define H(a, b) <a>\n#include H(x.cuh, 1)\n",
        "\n#include L\"x.cuh\"\n"}) {
    INFO(text);
    const IncludeClosure closure = folder.read(text);
    REQUIRE(closure.refused.size() == 1);
    CHECK_THAT(closure.refused.front(), Catch::StartsWith("k.cu:") && Catch::Contains("must name its file"));
  }
  const std::string set = "#ifndef NAME\n#define NAME \"x.cuh\"\n#endif\n#include NAME\n";
  CHECK(closure_names(folder.read(set)) == Names{"x.cuh"});
  CHECK(include_closure(set, "k.cu", folder.name, {folder.name}, {"NAME"}).refused.size() == 1);
}

TEST_CASE("a macro may be defined in a header, and may bring the next one") {
  const Folder folder;
  folder.scratch.write("names.cuh", "#define FIRST \"first.cuh\"\n");
  folder.scratch.write("first.cuh", "#define SECOND <x.cuh>\n");
  const IncludeClosure closure = folder.read("#include SECOND\n#include \"names.cuh\"\n#include FIRST\n");
  CHECK(closure.refused.empty());
  CHECK(closure_names(closure) == Names{"names.cuh", "first.cuh", "x.cuh"});
}

TEST_CASE("a name means a file as compilers look for it") {
  const Scratch scratch;
  scratch.write("first/a.cuh", "#include \"sub/b.cuh\"\n");
  scratch.write("first/sub/b.cuh", "  #  include <c.cuh>\n");
  scratch.write("first/sub/c.cuh", "not this one: angle brackets do not look beside the includer");
  scratch.write("second/c.cuh", "#include_next <c.cuh>\n");
  scratch.write("second/a.cuh", "hidden by first");
  scratch.write("third/c.cuh", "next");
  scratch.write("outside.cuh", "");
  fs::create_symlink(scratch.path("first/sub/b.cuh"), scratch.path("second/link.cuh"));
  scratch.write("second/sub/c.cuh", "");
  const std::vector<fs::path> folders{scratch.path("first"), scratch.path("second"), scratch.path("third")};
  const IncludeClosure closure =
      include_closure("#include <a.cuh>\n#include <cuda_fp16.h>\n#include \"../outside.cuh\"\n#include <cuda_fp16.h>\n",
                      "k.cu", scratch.path("first"), folders);
  std::vector<std::string> names;
  for (const IncludedFile& file : closure.files)
    names.push_back(file.name + " " + file.path.parent_path().filename().string());
  CHECK(names == std::vector<std::string>{"a.cuh first", "sub/b.cuh sub", "c.cuh second", "c.cuh third"});
  REQUIRE(closure.absent.size() == 2);
  CHECK(closure.absent[0].name == "cuda_fp16.h");
  // Beside the link, not beside what it leads to.
  scratch.write("first/sub/b.cuh", "#include \"d.cuh\"\n");
  scratch.write("first/sub/d.cuh", "");
  scratch.write("second/d.cuh", "");
  const IncludeClosure linked = include_closure("#include <link.cuh>\n", "k.cu", scratch.path("first"), folders);
  REQUIRE(linked.files.size() == 2);
  CHECK(linked.files[1].path == fs::canonical(scratch.path("second/d.cuh")));
}

TEST_CASE("what is included and no plain file is refused") {
  const Folder folder;
  REQUIRE(tests::run_program({"mkfifo", "pipe.cuh"}, folder.name).status == 0);
  const IncludeClosure closure = folder.read("#include \"pipe.cuh\"\n");
  REQUIRE(closure.refused.size() == 1);
  CHECK_THAT(closure.refused.front(), Catch::Contains("no plain file"));
}
