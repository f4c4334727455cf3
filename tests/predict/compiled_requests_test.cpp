#include "harness/predict/compiled_requests.h"

#include <catch2/catch.hpp>

using namespace harness;

namespace {

constexpr double kWarps = 8;

/// So many loads (or stores) of so many bytes a lane, 16 sectors each.
Counts accesses(std::int64_t requests, std::int64_t width, bool stores = false) {
  Counts counts;
  counts[Count::memory_requests] = requests;
  counts[Count::memory_lanes] = 32 * requests;
  counts[Count::bytes] = 32 * width * requests;
  counts[stores ? Count::store_requests : Count::load_requests] = requests;
  counts[stores ? Count::store_sectors : Count::load_sectors] = 16 * requests;
  counts[stores ? Count::store_width : Count::load_width] = width * requests;
  return counts;
}

/// Of the line 7, after what became of it and of the line 9.
Counts of_line_7(const Counts& seven, const CompiledAccess& compiled, bool stores = false, const Counts& nine = {},
                 const CompiledAccess& compiled_nine = {}) {
  const CountsByLine counts{{{"kernel.cu", 7}, seven}, {{"kernel.cu", 9}, nine}};
  CompiledLines code;
  (stores ? code[{"kernel.cu", 7}].stores : code[{"kernel.cu", 7}].loads) = compiled;
  (stores ? code[{"kernel.cu", 9}].stores : code[{"kernel.cu", 9}].loads) = compiled_nine;
  return as_compiled(seven, compiled_shares(counts, code, kWarps).at({"kernel.cu", 7}));
}

}  // namespace

TEST_CASE("what the compiler left as it is keeps its counts") {
  const Counts loads = accesses(100, 4), stores = accesses(100, 16, true);
  CHECK(of_line_7(loads, {1, 4, true}) == loads);
  CHECK(of_line_7(stores, {4, 16, true}, true) == stores);
  CHECK(of_line_7(loads, {4, 0, true}) == loads);              // of several widths
  CHECK(of_line_7(accesses(8, 4), {1, 4}) == accesses(8, 4));  // once a warp
}

TEST_CASE("16 bytes that are stored in words are four requests, each to the same sectors") {
  const Counts stores = of_line_7(accesses(100, 16, true), {4, 4, true}, true);
  CHECK(stores[Count::store_requests] == 400);
  CHECK(stores[Count::store_sectors] == 6400);
  CHECK(stores[Count::memory_requests] == 400);
  CHECK(stores[Count::memory_lanes] == 12800);
  CHECK(stores[Count::bytes] == 100 * 512);
}

TEST_CASE("two words that travel together are one request") {
  CHECK(of_line_7(accesses(100, 4), {1, 8, true})[Count::load_requests] == 50);
  // Unless the other one is another line's, which has no instruction of its own.
  const Counts other = accesses(100, 4);
  CHECK(of_line_7(accesses(100, 4), {1, 8, true}, false, other)[Count::load_requests] == 100);
}

TEST_CASE("what lies in no loop is asked for once a warp") {
  Counts loads = accesses(64 * 8, 4);
  loads[Count::load_missed] = 128;
  const Counts made = of_line_7(loads, {1, 4, false});
  CHECK(made[Count::load_requests] == 8);
  CHECK(made[Count::load_sectors] == 128);
  CHECK(made[Count::load_missed] == 128);
  CHECK(made[Count::bytes] == 8 * 128);
  CHECK(of_line_7(loads, {1, 4, true}) == loads);
}

TEST_CASE("a load without an instruction is none, if every instruction's line is known") {
  const Counts loads = accesses(100, 4);
  const CompiledAccess known{1, 4, true};
  CHECK(of_line_7(loads, {}, false, loads, known)[Count::load_requests] == 0);
  CHECK(of_line_7(loads, {}, false, {}, known)[Count::load_requests] == 100);  // it may be that of line 9
}
