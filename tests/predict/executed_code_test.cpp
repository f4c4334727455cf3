#include "harness/predict/executed_code.h"

#include <catch2/catch.hpp>

using namespace harness;

namespace {

constexpr auto kInteger = static_cast<std::size_t>(InstructionClass::integer);

CodeBlock block(std::int64_t instructions, std::vector<std::size_t> next, std::vector<CodeSite> sites = {}) {
  CodeBlock made;
  made.instructions[kInteger] = instructions;
  made.cycles = 2 * instructions;
  made.next = std::move(next);
  made.sites = std::move(sites);
  return made;
}

/// A load of line 7, once in a header that the kernel calls there.
CodeSite load(const std::string& inlined = "") {
  CodeSite site{SiteKind::global, {{"kernel.cu", 7}}};
  if (!inlined.empty()) site.places.insert(site.places.begin(), {inlined, 3});
  return site;
}

CountsByLine loads(std::int64_t requests) {
  CountsByLine counts;
  counts[{"kernel.cu", 7}][Count::load_requests] = requests;
  return counts;
}

const std::set<std::string> kOwn{"kernel.cu"};

}  // namespace

TEST_CASE("what lies in no loop runs once a warp, and code that is never reached does not") {
  const MachineCode code{block(10, {1}), block(5, {}), block(99, {2})};
  const auto executed = executed_code(code, {}, kOwn, 8, {});
  REQUIRE(executed);
  CHECK(executed->all() == 8 * 15);
  CHECK(executed->instructions[kInteger] == 8 * 15);
  CHECK(executed->cycles == 2 * 8 * 15);
}

TEST_CASE("a loop runs as often as its loads were counted, wherever they were inlined from") {
  const MachineCode code{block(10, {1}), block(20, {1, 2}, {load("vec.cuh")}), block(3, {})};
  CHECK(executed_code(code, loads(8 * 100), kOwn, 8, {})->all() == 8 * 13 + 800 * 20);
  CHECK_FALSE(executed_code(code, {}, kOwn, 8, {}));  // nobody knows how often
}

TEST_CASE("of an unrolled loop and the rest of it the unrolled one runs for most, and a load before both is no turn") {
  const MachineCode code{block(1, {1}, {load()}), block(40, {1, 2}, {load(), load(), load(), load()}),
                         block(12, {2, 3}, {load()}), block(1, {})};
  // 8 warps load once before, and 17 x 8 times in the loops: (4 x + y) with x : y as 4 : 1.
  CHECK(executed_code(code, loads(8 + 17 * 8), kOwn, 8, {})->all() == Approx(8 * 2 + 32 * 40 + 8 * 12));
}

TEST_CASE("how often a loop runs, lines say that lie in it alone, not the rest of an unrolled loop within it") {
  const auto barrier = [](int line) { return CodeSite{SiteKind::barrier, {{"kernel.cu", line}}}; };
  // for each of 16 tiles: a barrier, single turns of a load that is unrolled by four, the four, another barrier
  const MachineCode code{block(1, {1}),
                         block(2, {2, 5}, {barrier(5)}),
                         block(10, {3, 5}, {load()}),
                         block(10, {4, 5}, {load()}),
                         block(10, {5}, {load()}),
                         block(3, {6, 7}),
                         block(40, {6, 7}, {load(), load(), load(), load()}),
                         block(2, {1, 8}, {barrier(6)}),
                         block(1, {})};
  const auto all = [&](std::int64_t loads_of_a_tile) {
    CountsByLine counts = loads(8 * 16 * loads_of_a_tile);
    counts[{"kernel.cu", 5}][Count::barriers] = counts[{"kernel.cu", 6}][Count::barriers] = 8 * 16;
    return executed_code(code, counts, kOwn, 8, {})->all() / 8;
  };
  CHECK(all(1) == Approx(2 + 16 * (2 + 10 + 3 + 2)));           // no turn of the four, one of the single ones
  CHECK(all(8) == Approx(2 + 16 * (2 + 3 + 2 * 40 + 2)));       // two turns of the four
  CHECK(all(9) == Approx(2 + 16 * (2 + 10 + 3 + 2 * 40 + 2)));  // and a single one
  CountsByLine uneven = loads(8 * (8 * 8 + 8 * 5));             // eight tiles have eight turns, and eight have five
  uneven[{"kernel.cu", 5}][Count::barriers] = uneven[{"kernel.cu", 6}][Count::barriers] = 8 * 16;
  CHECK(executed_code(code, uneven, kOwn, 8, {})->all() / 8 == Approx(2 + 16 * (2 + 3 + 2) + 26 * 40));
}

TEST_CASE("which of the lines of its block an instruction bears does not matter, and a line that ran nowhere did not") {
  const auto shared = [](int line) { return CodeSite{SiteKind::shared, {{"kernel.cu", line}}}; };
  const MachineCode code{block(1, {1}), block(10, {1, 2}, {shared(3), shared(4), shared(4), shared(4)}),
                         block(20, {2, 3}, {shared(5), shared(5)}), block(1, {})};
  CountsByLine counts;
  counts[{"kernel.cu", 3}][Count::shared_requests] = counts[{"kernel.cu", 4}][Count::shared_requests] = 8 * 2 * 6;
  counts[{"kernel.cu", 5}] = {};
  CHECK(executed_code(code, counts, kOwn, 8, {})->all() == Approx(8 * 2 + 8 * 6 * 10));
}

TEST_CASE("a loop without requests runs as often as what surrounds it") {
  const MachineCode code{block(1, {1}), block(2, {2}, {load()}), block(5, {2, 3}), block(1, {1, 4}), block(1, {})};
  CHECK(executed_code(code, loads(40), kOwn, 4, {})->all() == 4 * 2 + 40 * (2 + 5 + 1));
}

TEST_CASE("a branch that few warps take counts as they do, and of two copies for two cases each counts half") {
  const MachineCode rare{block(10, {1, 2}), block(20, {2}, {load()}), block(3, {})};
  CHECK(executed_code(rare, loads(2), kOwn, 8, {})->all() == 8 * 13 + 2 * 20);
  const MachineCode cases{block(10, {1, 2}), block(20, {3}, {load()}), block(20, {3}, {load()}), block(3, {})};
  CHECK(executed_code(cases, loads(8), kOwn, 8, {})->all() == 8 * 13 + 8 * 20);
}

TEST_CASE("tensor instructions that bear each other's lines, or an operand's, are counted all the same") {
  const auto tensor = [](int line) { return CodeSite{SiteKind::tensor, {{"kernel.cu", line}}}; };
  const MachineCode code{block(1, {1}), block(20, {1, 2}, {tensor(7), tensor(8), tensor(8), tensor(30)}), block(1, {})};
  CountsByLine counts;
  counts[{"kernel.cu", 7}][Count::tensor_instructions] = 2 * 3 * 8;
  counts[{"kernel.cu", 8}][Count::tensor_instructions] = 2 * 3 * 8;
  CHECK(executed_code(code, counts, kOwn, 8, {})->all() == 8 * 2 + 3 * 8 * 20);
}

TEST_CASE("where not every warp multiplies, what comes before and after the loop runs no more often than the loop") {
  const auto tensor = [] { return CodeSite{SiteKind::tensor, {{"kernel.cu", 7}}}; };
  const MachineCode code{block(5, {1}, {tensor()}), block(20, {1, 2}, {tensor()}), block(5, {}, {tensor()})};
  CountsByLine counts;
  counts[{"kernel.cu", 7}][Count::tensor_instructions] = 3 * 4;
  CHECK(executed_code(code, counts, kOwn, 8, {})->all() == 4 * 30);
}

TEST_CASE("warps that only come to a barrier before the loops of others have none") {
  const auto site = [](SiteKind kind, int line) {
    return CodeSite{.kind = kind, .places = {{"kernel.cu", line}}, .always = true};
  };
  // Behind the barrier a loop multiplies, and stores in a line that was not counted.
  const MachineCode code{block(5, {1, 3}, {site(SiteKind::barrier, 6)}), block(20, {2}, {site(SiteKind::tensor, 7)}),
                         block(9, {1, 3}, {site(SiteKind::global, 8)}), block(3, {3, 4}, {site(SiteKind::global, 9)}),
                         block(1, {})};
  CountsByLine idle, all;
  idle[{"kernel.cu", 6}][Count::barriers] = 4;
  idle[{"kernel.cu", 7}] = {};
  all = idle;
  all[{"kernel.cu", 7}][Count::tensor_instructions] = 40;
  const auto executed = executed_code(code, idle, kOwn, 4, all);
  REQUIRE(executed);
  CHECK(executed->all() == 4 * (5 + 3 + 1));
}

TEST_CASE("loops that only wait, and make no request at all, run once") {
  const MachineCode code{block(1, {1}), block(2, {1, 2}), block(1, {})};
  CHECK(executed_code(code, {}, kOwn, 8, {})->all() == 8 * 4);
}

TEST_CASE("what one role's warps run, those of another do not") {
  const auto site = [](SiteKind kind, int line) {
    return CodeSite{.kind = kind, .places = {{"kernel.cu", line}}, .always = true};
  };
  // One warp copies (line 7, and what leads to an end behind it), seven multiply (line 8), and all meet at a barrier
  // whose line is that of the copying ones.
  const MachineCode code{block(1, {1, 2}, {site(SiteKind::barrier, 6)}), block(10, {3}, {site(SiteKind::global, 7)}),
                         block(100, {4}, {site(SiteKind::tensor, 8)}), block(20, {}), block(200, {})};
  CountsByLine copying, multiplying, all;
  copying[{"kernel.cu", 6}][Count::barriers] = copying[{"kernel.cu", 7}][Count::load_requests] = 1;
  copying[{"kernel.cu", 8}] = {};
  multiplying[{"kernel.cu", 8}][Count::tensor_instructions] = 7;
  multiplying[{"kernel.cu", 6}] = multiplying[{"kernel.cu", 7}] = {};
  for (const auto* role : {&copying, &multiplying})
    for (const auto& [line, counts] : *role) all[line] += counts;
  CHECK(executed_code(code, copying, kOwn, 1, all)->all() == 31);
  CHECK(executed_code(code, multiplying, kOwn, 7, all)->all() == 7 * 300);          // the barrier cuts nothing off
  CHECK(executed_code(code, multiplying, kOwn, 7, multiplying)->all() == 7 * 320);  // nobody copies: nothing is cut

  // Where the warps' own request lies behind one of others, the table of lines is wrong, and nothing is cut off.
  const MachineCode mixed{block(1, {1}), block(10, {2}, {site(SiteKind::global, 7)}),
                          block(100, {}, {site(SiteKind::tensor, 8)})};
  CHECK(executed_code(mixed, multiplying, kOwn, 7, all)->all() == 7 * 101);
}

TEST_CASE("of atomic operations the code tells which lines want an answer, and where lanes take turns") {
  CodeSite adds{.kind = SiteKind::atomic, .places = {{"kernel.cu", 3}}, .by_lane = true}, draws = adds;
  draws.answered = true;
  draws.by_lane = false;
  draws.places[0].line = 4;
  const auto lines = compiled_atomics({block(1, {1}, {adds}), block(1, {}, {draws, adds})}, kOwn);
  CHECK_FALSE(lines.at({"kernel.cu", 3}).answered);
  CHECK(lines.at({"kernel.cu", 3}).by_lane);
  CHECK(lines.at({"kernel.cu", 4}).answered);
  CHECK_FALSE(lines.at({"kernel.cu", 4}).by_lane);
}
