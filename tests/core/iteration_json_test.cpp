#include "harness/core/iteration_json.h"

#include <catch2/catch.hpp>

#include "tests/support/evaluations.h"

using namespace harness;
using namespace harness::tests;

TEST_CASE("the line of a run leaves out the detail") {
  const json line = iteration_json(an_attempt(3), passed(120), 0, false, nullptr, "cpu", Detail::line);
  for (const char* key :
       {"campaign",     "iteration", "kernel",  "workload",     "variant",      "technique",   "config",
        "device",       "outcome",   "time_ns", "time_ci95_ns", "cold_time_ns", "baseline_ns", "speedup",
        "speedup_ci95", "floor_ns",  "verdict", "confirmed",    "cost",         "decision",    "error"}) {
    INFO(key);
    CHECK(line.contains(key));
  }
  CHECK_FALSE(line.contains("gates"));
  CHECK(line["iteration"].is_null());
  CHECK(line["time_ci95_ns"] == json{118.8, 121.2});
  CHECK(line["config"] == json{{"BLOCK", 32}, {"FAST", true}});
}
