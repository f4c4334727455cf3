#include "harness/report/view.h"

#include <catch2/catch.hpp>

#include "harness/core/error.h"

using namespace harness;
using namespace harness::report;

namespace {

json a_row(std::int64_t id, bool emulation) {
  return {{"iteration", id},
          {"campaign", 2},
          {"device", emulation ? "a CPU" : "cuda:0"},
          {"kernel", "attention"},
          {"workload", "seed_b1h1s128_f16"},
          {"variant", "20_split_kv"},
          {"config", {{"BLOCK_M", 32}, {"SPLITS", 4}}},
          {"outcome", "passed"},
          {"time_ns", 5120.0},
          {"speedup", 10.2},
          {"floor_ns", emulation ? json() : json(3174.4)},
          {"of_floor", emulation ? json() : json(0.62)},
          {"verdict", "faster"},
          {"emulation", emulation},
          {"ended", "2026-11-22 14:05:09"},
          {"label", nullptr},
          {"technique", "split-kv"}};
}

std::size_t widest(const std::string& text) {
  std::size_t most = 0, now = 0;
  for (const char c : text)
    if (c == '\n') most = std::max(most, now), now = 0;
    else now += (c & 0xC0) != 0x80 ? 1 : 0;
  return most;
}

}  // namespace

TEST_CASE("tables fit the terminal, and say what they leave out") {
  const json rows{a_row(41, false), a_row(42, false)};
  for (const std::size_t width : {60, 80, 120}) {
    const ChosenTable chosen = choose(iteration_view(), rows, {{}, false, width});
    INFO(aligned(chosen.table));
    CHECK(widest(aligned(chosen.table)) <= width);
    CHECK(chosen.table.columns.front() == "iteration");
    CHECK_THAT(aligned(chosen.table), Catch::Contains("5.12 us") && Catch::Contains("passed"));
    CHECK_FALSE(chosen.left_out.empty());
  }
  CHECK(choose(iteration_view(), rows, {}).left_out.empty());
  CHECK_THAT(aligned(choose(iteration_view(), rows, {{}, true, 60}).table), Catch::Contains("split-kv"));
}

TEST_CASE("columns are chosen by heading or key, and an unknown one is refused with the nearest") {
  const json rows{a_row(41, false)};
  const auto chosen = choose(iteration_view(), rows, {{"iteration", "of floor", "floor_ns"}, false, 60});
  CHECK(chosen.table.columns == std::vector<std::string>{"iteration", "of floor", "floor_ns"});
  CHECK(text(chosen.table.rows[0][1]) == "62 %");
  CHECK_THROWS_WITH(choose(iteration_view(), rows, {{"varient"}, false, {}}),
                    Catch::Contains("did you mean 'variant'?"));
}

TEST_CASE("measured and emulated times never stand in one column") {
  const auto chosen = choose(iteration_view(), json{a_row(1, false), a_row(2, true)}, {});
  const auto& columns = chosen.table.columns;
  const auto at = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(columns.begin(), columns.end(), name) - columns.begin());
  };
  REQUIRE(at("emulated") < columns.size());
  CHECK(text(chosen.table.rows[0][at("time")]) == "5.12 us");
  CHECK(text(chosen.table.rows[0][at("emulated")]).empty());
  CHECK(text(chosen.table.rows[1][at("time")]).empty());
  CHECK(text(chosen.table.rows[1][at("emulated")]) == "5.12 us");
  const auto measured = choose(iteration_view(), json{a_row(1, false)}, {}).table.columns;
  CHECK(std::find(measured.begin(), measured.end(), "emulated") == measured.end());
}

TEST_CASE("rates and shares have units") {
  Work work;
  work.bytes = 1000;
  CHECK(rate(work, 1.0) == "1 TB/s");
  work.flops = {{"f16", 3.07e9}};
  CHECK(rate(work, 5000.0) == "614 TFLOP/s");
  CHECK(rate(std::nullopt, 5.0) == "-");
  const json rows =
      json::parse(R"([{"technique":"a","seconds":30.0,"usd":0.3},{"technique":"b","seconds":10.0,"usd":null}])");
  const json totals = cost_totals(rows);
  CHECK(totals["seconds"] == 40.0);
  CHECK(totals["iterations"].is_null());
  CHECK_THAT(aligned(choose(cost_view(totals), rows, {}).table), Catch::Contains("75 %") && Catch::Contains("$0.30"));
}

TEST_CASE("names that are cut stay apart, and a rival is kept longer than the speedup over the baseline") {
  json rows = json::array();
  for (const char* type : {"bf16", "f16"}) {
    json row = a_row(41, false);
    row["workload"] = std::string("batch_of_many_heads_b32h8s128d64_") + type;
    row["variant"] = std::string("40_mma_") + type;
    row["rival_variant"] = std::string("80_cudnn_") + type;
    row["rival_ns"] = 4710.0;
    row["confirmed"] = true;
    row["device_name"] = "NVIDIA H200";
    row["campaign"] = 2;
    rows.push_back(row);
  }
  rows[1]["time_ns"] = 6120.0;
  for (const std::size_t width : {80, 100, 120}) {
    const ChosenTable chosen = choose(best_view({}), rows, {{}, false, width});
    const std::string text = aligned(chosen.table, width);
    INFO(text);
    CHECK(widest(text) <= width);
    const auto place = std::ranges::find(chosen.table.columns, "workload") - chosen.table.columns.begin();
    CHECK(chosen.table.rows[0][static_cast<std::size_t>(place)] !=
          chosen.table.rows[1][static_cast<std::size_t>(place)]);
    CHECK(std::ranges::find(chosen.table.columns, "of its speed") != chosen.table.columns.end());
    const bool has_speedup = std::ranges::find(chosen.table.columns, "speedup") != chosen.table.columns.end();
    const bool has_rival = std::ranges::find(chosen.table.columns, "rival") != chosen.table.columns.end();
    CHECK((has_rival || !has_speedup));
  }
}

TEST_CASE("a predicted time that is confirmed was counted twice") {
  json row = a_row(41, true);
  row["device"] = "cpu:H200";
  row["confirmed"] = true;
  CHECK_THAT(aligned(choose(best_view({}), json::array({row}), {}).table),
             Catch::Contains("predicted") && Catch::Contains("counted twice"));
}
