#include "harness/evaluate/compared_lines.h"

#include <catch2/catch.hpp>
#include <limits>

using namespace harness;

namespace {

/// Site n lies in line n of k.cu; from 100 to 999 in a function of the device that line n - 100 calls.
std::map<std::uint64_t, std::string> numbered(const std::vector<std::uint64_t>& sites) {
  std::map<std::uint64_t, std::string> lines;
  for (const std::uint64_t site : sites)
    lines[site] = site == 99 ? "other.cuh:3, called at k.cu:1" : "k.cu:" + std::to_string(site % 100);
  return lines;
}
std::set<std::uint64_t> beyond_100(const std::vector<std::uint64_t>& sites) {
  std::set<std::uint64_t> within;
  for (const std::uint64_t site : sites)
    if (site >= 100 && site < 1000) within.insert(site);
  return within;
}
/// Of sites below 100 none is a copy of another; site n * 1000 + k stands where k does.
std::map<std::uint64_t, std::uint32_t> columned(const std::vector<std::uint64_t>& sites) {
  std::map<std::uint64_t, std::uint32_t> columns;
  for (const std::uint64_t site : sites)
    if (site % 1000 < 100) columns[site] = 7;
  return columns;
}

RawFinding compared(std::uint64_t site, char ways, std::uint64_t operands, double left = 1, double right = 2) {
  ComparedSite seen;
  seen.site = site;
  seen.less = ways == '<';
  seen.equal = ways == '=';
  seen.greater = ways == '>';
  seen.floating = true;
  seen.finite = true;
  seen.left = left;
  seen.right = right;
  seen.operands = operands;
  RawFinding finding;
  finding.compared = seen;
  return finding;
}

struct Lines {
  explicit Lines(std::string text) : sources{{"folder/k.cu", std::move(text)}} {}
  std::vector<std::string> unturned() const {
    std::vector<std::string> texts;
    for (const ComparedLines::Line& line : lines.unturned()) texts.push_back(line.place + " " + line.text);
    return texts;
  }
  std::vector<SourceFile> sources;
  ComparedLines lines{{numbered, columned, beyond_100}, sources};
};

}  // namespace

TEST_CASE("a comparison follows the inputs if other inputs of the same sizes give it other operands") {
  Lines of("if (sum > 1e7f)  // far out\nif (row  <  rows)\nif (x == 3)\n");
  const Config sizes{{"N", std::int64_t{4}}}, others{{"N", std::int64_t{5}}};
  CHECK(of.lines.learn({compared(1, '<', 10), compared(2, '<', 20), compared(3, '<', 30)}, sizes).size() == 3);
  CHECK(of.lines.learn({compared(1, '<', 11), compared(2, '<', 20), compared(3, '>', 31)}, sizes).size() == 1);
  CHECK(of.lines.learn({compared(2, '<', 21)}, others).empty());
  CHECK(of.lines.one_way().size() == 2);
  CHECK(of.unturned() == std::vector<std::string>{"k.cu:1 if (sum > 1e7f)", "k.cu:3 if (x == 3)"});
  of.lines.learn({compared(1, '>', 12), compared(3, '=', 30)}, sizes);
  CHECK(of.unturned().empty());
}

TEST_CASE("what lies in the device's functions and in others' headers is no question") {
  Lines of("int code = __float2int_rn(x);\n");
  const Config sizes;
  of.lines.learn({compared(99, '<', 1), compared(101, '<', 1)}, sizes);
  of.lines.learn({compared(99, '<', 2), compared(101, '<', 2)}, sizes);
  CHECK(of.lines.count() == 1);
  CHECK(of.unturned().empty());
}

TEST_CASE("what only an infinity or NaN turns is told apart") {
  Lines of("if (m == -kInfinity) return;\nif (m != m) return;\nif (m > 5) return;\n");
  const double most = std::numeric_limits<float>::max();
  for (const std::uint64_t operands : {1, 2})
    of.lines.learn({compared(1, '>', operands, 1, -most), compared(2, '=', operands), compared(3, '<', operands)}, {});
  const auto lines = of.lines.unturned();
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].infinite);
  CHECK(lines[1].infinite);
  CHECK_FALSE(lines[2].infinite);
}

TEST_CASE("where no order is written equality is asked, and a loop that is always entered is no question") {
  Lines of("kept = (hash ^ 77u) ? kept : 0;\nfor (int j = 0; j < lengths[row]; ++j)\np->at<int>(x) ? 1 : 2;\n");
  for (const std::uint64_t operands : {1, 2}) {
    RawFinding entry = compared(2, '<', operands);
    entry.compared->floating = false;
    of.lines.learn({compared(1, '<', operands), compared(1, '>', operands + 7), entry, compared(3, '<', operands),
                    compared(3, '>', operands + 7)},
                   {});
  }
  CHECK(of.unturned() == std::vector<std::string>{"k.cu:1 kept = (hash ^ 77u) ? kept : 0;",
                                                  "k.cu:2 for (int j = 0; j < lengths[row]; ++j)",
                                                  "k.cu:3 p->at<int>(x) ? 1 : 2;"});
}

TEST_CASE("copies that a compiler made of a comparison are one: what one of them saw counts for all") {
  Lines of("if (value > most)\nif (value == 77)\nswitch (code) {\n");
  const auto launch = [&](std::uint64_t operands) {
    // Line 1 in a loop, and in its first round, which was peeled; line 2 in two rounds that were unrolled.
    of.lines.learn({compared(1, '<', operands), compared(1, '>', operands + 7), compared(1001, '=', operands),
                    compared(2, '<', operands), compared(2, '>', operands + 7), compared(2002, '<', operands)},
                   {});
  };
  launch(1);
  launch(2);
  CHECK(of.lines.count() == 2);
  CHECK(of.lines.one_way().empty());
  CHECK(of.unturned() == std::vector<std::string>{"k.cu:2 if (value == 77)"});
  CHECK(of.lines.open() == std::vector<std::uint64_t>{2002, 2});
  of.lines.learn({compared(2002, '=', 5)}, {});
  CHECK(of.unturned().empty());
}

TEST_CASE("each case of a switch is a comparison") {
  Lines of("switch (code < 5 ? code : 5) {\n");
  const auto of_case = [](std::uint64_t number, char ways, std::uint64_t operands) {
    RawFinding finding = compared(1 | number << kCaseShift, ways, operands);
    finding.compared->floating = false;
    return finding;
  };
  for (const std::uint64_t operands : {1, 2})
    of.lines.learn({of_case(1, '<', operands), of_case(1, '=', operands + 7), of_case(2, '<', operands),
                    of_case(2, '>', operands + 7)},
                   {});
  CHECK(of.lines.count() == 2);
  REQUIRE(of.lines.unturned().size() == 1);
  CHECK(of.lines.unturned()[0].comparisons == 1);
}

TEST_CASE("a minimum that always takes one side is a question, and one of equals is none") {
  Lines of("y = fminf(fmaxf(x, -3e17f), 3e17f);\nm = max(m, x);\n");
  for (const std::uint64_t operands : {1, 2})
    of.lines.learn({compared(1 | kChoice, '>', operands), compared(1001 | kChoice, '<', operands),
                    compared(2 | kChoice, '=', operands)},
                   {});
  CHECK(of.lines.count() == 3);
  REQUIRE(of.lines.unturned().size() == 1);
  CHECK(of.lines.unturned()[0].comparisons == 2);
}

TEST_CASE("a line that holds the word for NaN or a product near infinity asks for more than these") {
  Lines of("if (isnan(m) || m > 3e17f) return;\nif (m * 1e21f >= FLT_MAX) return;\nif (isnan(m)) return;\n");
  const double most = std::numeric_limits<float>::max();
  for (const std::uint64_t operands : {1, 2})
    of.lines.learn({compared(1, '<', operands), compared(2, '<', operands, 1e25, most), compared(3, '=', operands)},
                   {});
  const auto lines = of.lines.unturned();
  REQUIRE(lines.size() == 3);
  CHECK_FALSE(lines[0].infinite);
  CHECK_FALSE(lines[1].infinite);
  CHECK(lines[2].infinite);
}

TEST_CASE("what stands behind the head of a loop in its line is a question") {
  Lines of("for (int j = 0; j < n; ++j) kept = (hash ^ 77u) ? kept : 0;\n");
  for (const std::uint64_t operands : {1, 2}) {
    RawFinding loop = compared(1, '<', operands), behind = compared(2001, '<', operands);
    loop.compared->greater = true;
    loop.compared->floating = behind.compared->floating = false;
    of.lines.learn({loop, behind}, {});
  }
  REQUIRE(of.lines.count() == 1);  // both stand in column 7: copies
  ComparedLines apart{{numbered,
                       [](const auto& sites) {
                         std::map<std::uint64_t, std::uint32_t> columns;
                         for (const std::uint64_t site : sites) columns[site] = site == 1 ? 19 : 42;
                         return columns;
                       },
                       beyond_100},
                      of.sources};
  for (const std::uint64_t operands : {1, 2}) {
    RawFinding loop = compared(1, '<', operands), behind = compared(2001, '<', operands);
    loop.compared->greater = true;
    loop.compared->floating = behind.compared->floating = false;
    apart.learn({loop, behind}, {});
  }
  REQUIRE(apart.unturned().size() == 1);
  CHECK(apart.unturned()[0].comparisons == 1);
  REQUIRE(apart.unturned()[0].positions.size() == 1);
  CHECK(apart.unturned()[0].text.substr(apart.unturned()[0].positions[0], 2) == "^ ");
}

TEST_CASE("what stands where no order is written asks for equality, though the line has an order elsewhere") {
  Lines of("for (int j = 0; j < n; ++j) kept = (hash ^ 77u) ? kept : 0;\n");
  for (const std::uint32_t column : {1, 42, 49}) {
    ComparedLines lines{{numbered,
                         [&](const auto& sites) {
                           std::map<std::uint64_t, std::uint32_t> columns;
                           for (const std::uint64_t site : sites) columns[site] = column;
                           return columns;
                         },
                         beyond_100},
                        of.sources};
    for (const std::uint64_t operands : {1, 2}) {
      RawFinding hash = compared(1, '<', operands);
      hash.compared->greater = true;
      hash.compared->floating = false;
      lines.learn({hash}, {});
    }
    INFO(column);
    CHECK(lines.unturned().size() == 1);
  }
}

TEST_CASE("inputs that no contract means tell what follows them, and turn nothing") {
  Lines of("if (int(sum * 1e-18f) != 0) return;\n");
  const auto at_bound = [](std::uint64_t operands) {
    RawFinding finding = compared(1, '=', operands, 0, 0);
    finding.compared->floating = false;
    return finding;
  };
  const Config sizes{{"N", std::int64_t{4}}};
  of.lines.learn({at_bound(1)}, sizes);
  of.lines.learn({at_bound(1)}, sizes);
  CHECK(of.unturned().empty());
  of.lines.learn_what_follows({compared(1, '>', 9)}, sizes);
  CHECK(of.unturned().size() == 1);
}

TEST_CASE("functions of a source are found with their lines, and their texts without comments") {
  const std::string source =
      "#define LIMIT 3  \\\n  + 4\nnamespace a {\nstruct Pair {\n  int x = 1;\n  int get() { return x; }  // gives "
      "it\n};"
      "\nconst int table[] = {1, 2};\n}\ntemplate <class T>\n__device__ T least(T a,\n  T b) {\n"
      "  const char* s = \"}{\"; /* { */\n  if (a < b) { return a; }\n  return b;\n}\n";
  const std::vector<FunctionText> functions = functions_of(source);
  REQUIRE(functions.size() == 2);
  CHECK(functions[0].text == "int get() { return x; }");
  CHECK(functions[0].begin == 6);
  CHECK(functions[0].end == 6);
  CHECK(
      functions[1].text ==
      "template <class T> __device__ T least(T a, T b) { const char* s = \"}{\"; if (a < b) { return a; } return b; }");
  CHECK(functions[1].begin == 10);
  CHECK(functions[1].end == 16);
}

TEST_CASE("a comment is no part of a line") {
  CHECK(plain_line("  if (x /* > 0 ? */ > 3)  // far") == "if (x > 3)");
  CHECK(plain_line("s = \"// no comment\";") == "s = \"// no comment\";");
}
