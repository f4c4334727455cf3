#include <signal.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <thread>

#include "tests/support/program.h"

// A campaign in one process, shown by another.
using namespace harness;
using namespace harness::tests;

namespace {

/// The rows as a second process tells them, once there is one that fits; null after a minute.
template <typename Fits>
json live_row(const Scratch& scratch, Fits fits) {
  for (int i = 0; i < 600; ++i) {
    if (std::filesystem::exists(scratch.db())) {
      const Finished shown = run_harness({"campaigns", "--live", "--json", "--db", scratch.db()});
      const json rows = shown.status == 0 ? parse_json(shown.out) : json::array();
      if (!rows.empty() && fits(rows[0])) return rows[0];
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return nullptr;
}

}  // namespace

TEST_CASE("a second process shows what a campaign does now; a killed one is stale") {
  const Scratch scratch;
  const int process = start_harness(
      {"run", "vector_scale", "--device", "cpu", "--emulated", "--workload", "odd_n1003_f32", "--budget", "600s",
       "--strategy", "exhaustive", "--search", "exhaustive", "--name", "shown", "--db", scratch.db(), "--json"},
      scratch.path("out"));
  const json row = live_row(scratch, [](const json& live) { return !live.at("in_flight").empty(); });
  kill(process, SIGKILL);
  CHECK(wait_for(process) == 128 + SIGKILL);
  REQUIRE(row.is_object());
  CHECK(row["campaign"] == 1);
  CHECK(row["name"] == "shown");
  CHECK(row["state"] == "running");
  CHECK(row["budget_s"] == 600);
  CHECK(row["in_flight"][0]["kernel"] == "vector_scale");
  CHECK(row["in_flight"][0]["age_s"].get<double>() >= 0);
  const json after = live_row(scratch, [](const json& live) { return live.at("state") == "stale"; });
  REQUIRE(after.is_object());
  const Finished text = run_harness({"campaigns", "--live", "--db", scratch.db()});
  CHECK_THAT(text.out, Catch::Contains("campaign 1 (shown) on cpu: killed, last heard of"));
}
