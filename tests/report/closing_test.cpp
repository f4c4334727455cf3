#include <catch2/catch.hpp>
#include <cmath>

#include "harness/report/events.h"
#include "harness/report/format.h"
#include "harness/report/table.h"
#include "harness/report/terminal.h"

using namespace harness;

TEST_CASE("the closing table can be pasted and names the next command") {
  CampaignSummary summary;
  summary.campaign = 3;
  summary.reason = EndReason::budget;
  summary.message = "28 of 30 s are spent";
  summary.iterations = 42;
  summary.outcomes = {{"passed", 30}, {"wrong_answer", 12}};
  BestRow row;
  row.state.kernel = "attention";
  row.state.workload = "seed_b1h1s128_f16";
  row.state.best_variant = "20_split_kv";
  row.state.best_ns = 6040;
  row.state.baseline_ns = 868700;
  row.state.speedup = 143.8;
  row.state.of_floor = 0.00225;
  row.state.confirmed = true;
  row.config = {{"BLOCK_M", std::int64_t{16}}, {"SPLITS", std::int64_t{8}}};
  row.iteration = 17;
  row.tried = true;
  summary.best = {row};
  summary.score = 143.8;
  summary.spent_s = 28.4;
  CHECK(report::closing_text(summary) ==
        "kernel     workload           best variant  configuration           time   baseline  speedup  of floor  "
        "confirmed\n"
        "attention  seed_b1h1s128_f16  20_split_kv   BLOCK_M=16 SPLITS=8  6.04 us  868.70 us     144x   0.225 %  yes\n"
        "\n"
        "campaign 3 ended (budget): 28 of 30 s are spent\n"
        "42 iterations: 30 passed, 12 wrong_answer\n"
        "score 144x (weighted geometric mean of the speedups over the baselines), 28 s spent, cost unknown\n"
        "next: harness show 17   or   harness history --campaign 3\n");
}

TEST_CASE("the closing table shows how the best stands against the fastest rival, where one was measured") {
  CampaignSummary summary;
  BestRow row;
  row.state.kernel = "attention";
  row.state.workload = "s4";
  row.state.best_variant = "50_tiny";
  row.state.best_ns = 3000;
  row.state.rival_ns = 4710;
  row.state.rival_variant = "80_cudnn";
  row.rival_config = {{"ENGINE", std::int64_t{1}}};
  BestRow alone = row;
  alone.state.workload = "s64";
  alone.state.rival_ns.reset();
  alone.state.rival_variant.reset();
  summary.best = {row, alone};
  const std::string text = report::closing_text(summary);
  CHECK_THAT(text, Catch::Contains("rival") && Catch::Contains("its time") && Catch::Contains("of its speed"));
  CHECK_THAT(text, Catch::Contains("80_cudnn ENGINE=1") && Catch::Contains("4.71 us") && Catch::Contains("1.57x"));
  CHECK_THAT(text, Catch::Contains("none"));
}

TEST_CASE("where a baseline is eager PyTorch the closing table and the score say so") {
  CampaignSummary summary;
  BestRow row;
  row.state.kernel = "row_softmax";
  row.state.workload = "n4096";
  row.state.best_variant = "10_mine";
  row.state.best_ns = 3000;
  row.state.baseline_ns = 6000;
  row.state.speedup = 2;
  row.tried = true;
  summary.best = {row};
  summary.over_eager = {"row_softmax"};
  CHECK_THAT(report::closing_text(summary),
             Catch::Contains("over eager") && Catch::Contains("mean of the speedups over eager PyTorch"));
  BestRow other = row;
  other.state.kernel = "softmax";
  summary.best.push_back(other);
  CHECK_THAT(report::closing_text(summary),
             Catch::Contains("speedups over the baselines; of row_softmax that is eager PyTorch"));
}

TEST_CASE("what was not tried is no failure, and the score says over how many it is") {
  CampaignSummary summary;
  BestRow best;
  best.state.kernel = "attention";
  best.state.workload = "s4";
  best.state.best_variant = "50_tiny";
  best.state.best_ns = 3000;
  best.tried = true;
  BestRow failed = best;
  failed.state.workload = "s64";
  failed.state.best_ns.reset();
  BestRow untried = failed;
  untried.state.workload = "s256";
  untried.tried = false;
  summary.best = {best, failed, untried};
  summary.score = 2;
  const std::string text = report::closing_text(summary);
  CHECK_THAT(text, Catch::Contains("s64  none passed") && Catch::Contains("s256  not tried"));
  CHECK_THAT(text, Catch::Contains("2 of 3 workloads were tried, the others count as 1x"));
  const json finished = report::finished_json(summary);
  CHECK(finished.at("workloads") == 3);
  CHECK(finished.at("workloads_tried") == 2);
  CHECK(finished.at("not_tried") == json::array({{{"kernel", "attention"}, {"workload", "s256"}}}));
}

TEST_CASE("the last lines name what was never tried, and a rival that is not deterministic") {
  CampaignSummary summary;
  BestRow row;
  row.state.kernel = "attention";
  row.state.workload = "s4";
  row.state.best_variant = "50_tiny";
  row.state.best_ns = 3000;
  row.state.rival_ns = 4710;
  row.state.rival_variant = "80_cudnn";
  row.rival_deterministic = false;
  row.tried = true;
  summary.best = {row};
  summary.never_tried = {{"attention", "s4", "decode"}, {"attention", "s4", "tiling"}, {"attention", "s8", "decode"}};
  const std::string text = report::closing_text(summary);
  CHECK_THAT(text, Catch::Contains("80_cudnn, not deterministic"));
  CHECK_THAT(text,
             Catch::Contains("never tried on attention s4: decode, tiling\nnever tried on attention s8: decode\n"));
  const json finished = report::finished_json(summary);
  CHECK(finished.at("never_tried").size() == 3);
  CHECK(finished.at("best").at(0).at("rival_deterministic") == false);
}

TEST_CASE("an interrupted campaign says how to go on") {
  CampaignSummary summary;
  summary.campaign = 7;
  summary.reason = EndReason::interrupted;
  CHECK(report::closing_text(summary).find("harness run --resume 7") != std::string::npos);
}

TEST_CASE("units are chosen for people and an unknown is never zero") {
  CHECK(report::nanoseconds(std::nullopt) == "-");
  CHECK(report::nanoseconds(512.4) == "512 ns");
  CHECK(report::nanoseconds(5120) == "5.12 us");
  CHECK(report::nanoseconds(1.5e9) == "1.50 s");
  CHECK(report::seconds(125) == "2m05s");
  CHECK(report::seconds(5400) == "1h30m");
  CHECK(report::ratio(10.24) == "10.2x");
  CHECK(report::ratio(143.8) == "144x");
  CHECK(report::money(std::nullopt) == "unknown");
  CHECK(report::money(1.5) == "$1.50");
}

TEST_CASE("tables come as aligned text, CSV and Markdown, and cannot steer a terminal") {
  const report::Table table{{"name", "n"}, {{"a,\"b\"", "10"}, {"x\x1b[31m|", "7"}}};
  CHECK(report::aligned(table) == "name         n\na,\"b\"       10\nx\\x1b[31m|   7\n");
  CHECK(report::csv(table).starts_with("name,n\r\n\"a,\"\"b\"\"\",10\r\n"));
  CHECK(report::markdown(table) == "| name | n |\n|---|---|\n| a,\"b\" | 10 |\n| x\\x1b[31m\\| | 7 |\n");
}

TEST_CASE("the end of a campaign says what each proposer cost and brought") {
  CampaignSummary summary;
  summary.proposers.resize(2);
  ProposerRow& small = summary.proposers.front();
  small.name = "small";
  small.asked = 12;
  small.improved = 2;
  small.log_gain = std::log(1.5);
  small.usd = 0.25;
  summary.proposers.back().usd = 0.75;
  const std::string text = report::closing_text(summary);
  CHECK_THAT(text, Catch::Contains("small: asked 12, 0 accepted, 0 passed, 2 became a best (1.5x), $0.25 (25 %)"));
  const json event = report::finished_json(summary);
  CHECK(event["proposers"].size() == 2);
  CHECK(event["proposers"][0]["gain"] == Approx(1.5));
}
