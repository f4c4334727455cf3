#include "harness/core/contradictions.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>

using namespace harness;

namespace {

IterationRow timed_row() {
  IterationRow row;
  row.outcome = "passed";
  row.time_ns = 1000;
  row.time_lo_ns = 990;
  row.time_hi_ns = 1020;
  row.baseline_ns = 3000;
  row.speedup = 3;
  row.speedup_lo = 2.9;
  row.speedup_hi = 3.1;
  row.floor_ns = 900;
  row.calls_per_sample = 40;
  row.gates = {{"reference", true, ""}, {"memory", false, "", false}};
  row.samples["rotating_ns"] = {990, 1000, 1040};
  return row;
}

}  // namespace

TEST_CASE("a row that agrees with itself is believed, and what supports it is told") {
  const IterationRow row = timed_row();
  CHECK(contradictions(row).empty());
  CHECK(supported(row).samples);
  CHECK(supported(row).gates);
  CHECK(supported(row).floor);
  CHECK_FALSE(supported(IterationRow{}).gates);
}

TEST_CASE("each number of a row that cannot be beside the others is told") {
  const double inf = std::numeric_limits<double>::infinity();
  const std::pair<std::function<void(IterationRow&)>, const char*> lies[] = {
      {[](IterationRow& row) { row.time_lo_ns = 1010; }, "outside of its interval"},
      {[](IterationRow& row) { row.floor_ns = 1100; }, "below its floor"},
      {[](IterationRow& row) { row.floor_ns = 5000, row.calls_per_sample = 1; }, "below its floor"},
      {[](IterationRow& row) { row.speedup = row.speedup_hi = 9; }, "its times say 3"},
      {[](IterationRow& row) { row.baseline_ns.reset(); }, "no time to compare with"},
      {[](IterationRow& row) { row.speedup_hi = 2.95; }, "its speedup of 3 lies outside"},
      {[](IterationRow& row) {
         row.samples["rotating_ns"] = {4000, 5000, 6000};
       },
       "the median of its samples 5000"},
      {[](IterationRow& row) { row.samples["cold_ns"] = {-1}; }, "a sample of cold_ns is below 0"},
      {[](IterationRow& row) { row.gates[0].passed = false; }, "its gate 'reference' failed"},
      {[](IterationRow& row) { row.incumbent_ns = -1; }, "incumbent_ns is -1"},
      {[inf](IterationRow& row) { row.time_hi_ns = inf; }, "time_hi_ns is inf"},
      {[](IterationRow& row) { row.cost.gates_s = -3; }, "a stage's seconds is -3"}};
  for (const auto& [lie, sentence] : lies) {
    IterationRow row = timed_row();
    lie(row);
    const std::vector<std::string> found = contradictions(row);
    INFO(sentence);
    REQUIRE(found.size() == 1);
    CHECK_THAT(found.front(), Catch::Contains(sentence));
  }
}

TEST_CASE("what is honest and looks odd is no contradiction") {
  IterationRow row = timed_row();
  row.floor_ns = 1500;  // most of the output is in the L2 when its one call ends
  row.calls_per_sample = 1;
  CHECK(contradictions(row).empty());
  row = timed_row();
  row.emulation = true;  // few samples of a busy machine
  row.time_lo_ns = -50;
  row.speedup_hi = -60;
  CHECK(contradictions(row).empty());
  row.outcome = "wrong_answer";
  row.gates[0].passed = false;
  CHECK(contradictions(row).empty());
}
