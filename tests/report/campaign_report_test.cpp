#include "harness/report/campaign_report.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace harness;
using namespace harness::report;

namespace {

Figure figure(const std::string& name, const std::vector<std::string>& columns, const json& rows) {
  return {name, "the title of " + name, "SELECT * FROM v_iterations WHERE campaign = 7", columns, rows, false};
}

/// Two workloads, one with a rival; a variant whose name is hostile.
CampaignFigures a_campaign_with(const std::string& variant) {
  CampaignFigures figures{7, "f00d", "x.db", {}};
  figures.figures = {
      figure("campaign", {"campaign", "name",         "device",   "device_name", "strategy",   "search",    "seed",
                          "budget_s", "usd_per_hour", "kernels",  "options",     "begun",      "ended",     "reason",
                          "spent_s",  "cost_usd",     "imported", "evidence",    "iterations", "emulation", "score"},
             json::parse(R"([[7,"nightly","gpu:0","NVIDIA H200","roi","default",1,310.0,3.5,"[\"attention\"]",
               "{\"workloads\":[\"seeds\"],\"variants\":[]}","2026-11-22 14:05","2026-11-22 14:10","budget",301.9,0.29,0,1,40,0,8.0]])")),
      figure("ends", {"outcome", "iterations"}, json::parse(R"([["passed",38],["wrong_answer",2]])")),
      figure("workloads",
             {"kernel", "workload", "variant", "config", "time_ns", "time_lo_ns", "time_hi_ns", "baseline_ns",
              "speedup", "floor_ns", "of_floor", "confirmed", "iteration", "rival_ns", "registers", "spill_bytes"},
             json::array({{"attention", "s128", variant, R"({"BLOCK":64})", 5120.0, 5100.0, 5140.0, 52000.0, 16.0,
                           3174.0, 0.62, 1, 31, 6000.0, 128, 0},
                          {"attention", "s512", variant, R"({"BLOCK":32})", 9000.0, 8900.0, 9100.0, 36000.0, 4.0,
                           nullptr, nullptr, 0, 35, nullptr, 96, 0}})),
      figure(
          "curve",
          {"kernel", "workload", "seconds", "usd", "time_ns", "speedup", "variant", "config", "purpose", "iteration",
           "decision"},
          json::array({{"attention", "s128", 4.0, 0.01, 52000.0, 1.0, "00_naive", "{}", "baseline", 1, 1},
                       {"attention", "s128", 90.0, 0.09, 5120.0, 16.0, variant, R"({"BLOCK":64})", "search", 31, 12},
                       {"attention", "s512", 10.0, 0.02, 9000.0, 4.0, variant, R"({"BLOCK":32})", "search", 35, 13}})),
      figure("spend", {"kernel", "technique", "stage", "seconds", "usd"},
             json::array({{"attention", "split-kv", "timing", 100.0, 0.1},
                          {"attention", "split-kv", "gates", 50.0, 0.05},
                          {nullptr, nullptr, "idle", 9.0, 0.01}})),
      figure("gains",
             {"kernel", "technique", "iterations", "passed", "slower", "workloads", "best_speedup", "gain",
              "halvings_per_usd", "seconds", "usd", "rival"},
             json::array({{"attention", "split-kv", 30, 28, 1, 2, 16.0, 8.0, 20.0, 150.0, 0.15, 0}})),
      figure("heat", {"kernel", "workload", "variant", "rival", "iterations", "passed", "time_ns", "slowdown"},
             json::array({{"attention", "s128", variant, 0, 20, 18, 5120.0, 1.0},
                          {"attention", "s512", "00_naive", 0, 1, 0, nullptr, nullptr}})),
      figure(
          "failures",
          {"kernel", "outcome", "fingerprint", "iterations", "variants", "seconds", "example", "workload", "variant",
           "config", "message"},
          json::array({{"attention", "wrong_answer", "f00d", 2, 1, 1.0, 9, "s128", variant, "{}", "O is <b>off</b>"}})),
      figure("unchecked", {"gate", "bests", "why", "example"}, json::array({{"preflight", 2, "no g++", 31}})),
      figure("predictions",
             {"decision", "iteration", "workload", "technique", "predict_speedup_lo", "predict_speedup_hi", "speedup",
              "speedup_held"},
             json::array({{12, 31, "s128", "split-kv", 4.0, 20.0, 16.0, 1}})),
      figure("profiles",
             {"kernel", "workload", "iteration", "source", "diagnosis", "page", "metric", "value", "baseline"},
             json::array({{"attention", "s128", 31, "cupti", "bank conflicts: <94> %", "118-shared-memory-banks",
                           "dram_share", 0.25, 0.5},
                          {"attention", "s128", 31, "cupti", "bank conflicts: <94> %", "118-shared-memory-banks",
                           "registers", 128.0, nullptr}})),
      figure("environment", {"fact", "value"}, json::array({{"driver_release", "580.65.06"}}))};
  return figures;
}

}  // namespace

TEST_CASE("workloads that a campaign planned and did not try are named") {
  CampaignFigures figures = a_campaign_with("20_split_kv");
  Figure& head = figures.figures.front();
  const auto options = static_cast<std::size_t>(std::ranges::find(head.columns, "options") - head.columns.begin());
  json planned = json::array();
  for (const char* workload : {"s128", "s512", "s1024", "s2048"})
    planned.push_back({{"kernel", "attention"}, {"workload", workload}, {"weight", 1}});
  head.rows[0][options] = json{{"workloads", {"seeds"}}, {"planned", planned}}.dump();
  head.rows[0].back() = 2.83;
  const CampaignReport report = make_campaign_report(figures, {.program = "harness 1"});
  CHECK(report.verdict ==
        "1 of 4 workloads has a confirmed best (2 were not tried), 2.83x as fast as the baselines, and ahead of the "
        "rival on 1 of 1.");
  CHECK(text(report.cards[0].value) == "2.83x");
  CHECK_THAT(text(report.cards[0].note), Catch::Contains("2 of 4 workloads were tried"));
  const auto bests = std::ranges::find(report.sections, "bests", &ReportSection::id);
  REQUIRE(bests != report.sections.end());
  REQUIRE(bests->table.rows.size() == 4);
  CHECK(bests->table.rows[2][0] == Cell("s1024"));
  CHECK(std::ranges::find(bests->table.rows[2], Cell("not tried")) != bests->table.rows[2].end());
}

TEST_CASE("a report begins with the verdict and with what was not checked") {
  const CampaignReport report = make_campaign_report(a_campaign_with("20_split_kv"), {.program = "harness 1"});
  CHECK(report.verdict ==
        "1 of 2 workloads has a confirmed best, 8x as fast as the baselines, and ahead of the rival on 1 of 1.");
  CHECK(text(report.cards[0].value) == "8x");
  CHECK(report.cautions.size() == 2);
  CHECK_THAT(report.cautions[0], Catch::Contains("not confirmed"));
  CHECK_THAT(report.cautions[1], Catch::Contains("preflight"));
  for (const ReportSection& section : report.sections) {
    INFO(section.id);
    if (!section.charts.empty()) CHECK_FALSE(section.table.rows.empty());  // a table for every chart
  }
}

TEST_CASE("what limits a winner stands beside its counters, and those of its baseline in brackets") {
  const CampaignReport report = make_campaign_report(a_campaign_with("20_split_kv"), {.program = "harness 1"});
  const auto section = std::ranges::find(report.sections, "profile", &ReportSection::id);
  REQUIRE(section != report.sections.end());
  CHECK(section->table.columns ==
        std::vector<std::string>{"workload", "source", "what limits it", "page", "dram_share", "registers"});
  const json row = table_json(section->table)["rows"][0];
  CHECK(row ==
        json{"s128", "cupti", "bank conflicts: <94> %", "118-shared-memory-banks", {0.25, " (", 0.5, ")"}, 128.0});
  CHECK(text(section->table.rows[0][4]) == "0.25 (0.5)");
}

TEST_CASE(
    "a campaign of several cards tells their times beside the anchor, and one of a single device has no such table") {
  CampaignFigures figures = a_campaign_with("10_tile");
  CHECK(campaign_markdown(make_campaign_report(figures, {})).find("What each card did") == std::string::npos);
  figures.figures.push_back(
      figure("card_records",
             {"node", "card", "evaluations", "passed", "lost", "doubted", "anchor_of", "seconds", "usd", "pairs",
              "over_anchor", "at_first", "at_last"},
             json::array({{"gpu1", "GPU-1", 20, 18, 0, 0, 2, 30.0, 0.1, 0, nullptr, nullptr, nullptr},
                          {"gpu2", "GPU-2", 21, 19, 1, 3, 0, 31.0, nullptr, 17, 1.034, 1.001, 1.067}})));
  figures.figures.push_back(figure(
      "card_calibrations",
      {"node", "card", "occasion", "verdict", "drift", "bytes_per_s", "operations_per_s", "sm_clock_mhz",
       "memory_clock_mhz", "temperature_celsius", "throttle_reasons", "xids", "why", "after_s"},
      json::array({{"gpu2", "GPU-2", "joined", "first", nullptr, 4e12, 8e14, 1980.0, 3201.0, 41.0, 0, "[]", "", 1.0},
                   {"gpu2", "GPU-2", "due", "suspect", -0.031, 3.9e12, 7.8e14, 1755.0, 3201.0, 83.0, 4, "[]",
                    "it is 3.1 % slower", 600.0}})));
  figures.figures.push_back(figure("across_cards",
                                   {"kernel", "workload", "variant", "config", "node", "card", "purpose", "time_ns",
                                    "anchor_ns", "speedup", "speedup_lo", "speedup_hi", "verdict", "iteration"},
                                   json::array({{"attention", "s128", "10_tile", R"({"BLOCK":64})", "gpu1", "GPU-1",
                                                 "confirm", 5120.0, nullptr, 16.0, 15.8, 16.2, "faster", 31},
                                                {"attention", "s128", "10_tile", R"({"BLOCK":64})", "gpu2", "GPU-2",
                                                 "confirm", 5300.0, 5120.0, 15.9, 15.7, 16.1, "faster", 40}})));
  const std::string text = campaign_markdown(make_campaign_report(figures, {}));
  CHECK_THAT(text, Catch::Contains("What each card did") && Catch::Contains("+3.4 %") && Catch::Contains("+0.1 %") &&
                       Catch::Contains("+6.7 %"));
  CHECK_THAT(text, Catch::Contains("Calibrations of the cards over time") && Catch::Contains("-3.10 %") &&
                       Catch::Contains("it is 3.1 % slower") && Catch::Contains("1755 / 3201"));
  CHECK_THAT(text, Catch::Contains("The same candidate on several cards") && Catch::Contains("15.7x to 16.1x"));
}

TEST_CASE("long sources are left out of a report, and it says how to see them") {
  ReportExtras extras;
  for (int i = 0; i < 12; ++i) extras.sources.push_back({i, "winner", std::string(i == 0 ? 100'000 : 59'000, 'x'), ""});
  const json view = campaign_json(make_campaign_report(a_campaign_with("20_split_kv"), extras));
  const json& listings = view["sections"].back().at("listings");
  REQUIRE(listings.size() == 12);
  CHECK(listings[0]["text"] == "It is too long for this page: harness show ITERATION --resolved prints it.");
  CHECK(listings[1]["text"].get<std::string>().size() == 59'000);
  CHECK(listings[11]["text"] == listings[0]["text"]);
  CHECK(view.dump().size() < 500'000);
}

TEST_CASE("Markdown and text say the same; an empty campaign is a report too") {
  const CampaignReport report = make_campaign_report(a_campaign_with("a|b"), {.program = "harness 1"});
  const std::string markdown = campaign_markdown(report);
  CHECK_THAT(markdown, Catch::StartsWith("## Campaign 7: nightly\n") && Catch::Contains("a\\|b") &&
                           Catch::Contains("| 5.12 us |"));
  for (const std::size_t width : {60, 80}) {
    const std::string text = campaign_text(report, width);
    CHECK_THAT(text, Catch::Contains("5.12 us") && Catch::Contains("! Not checked on 2 of the bests: preflight"));
  }
  CampaignFigures nothing{7, "f00d", "x.db", {}};
  nothing.figures = {a_campaign_with("x").figures[0]};
  const CampaignReport empty = make_campaign_report(nothing, {});
  CHECK(empty.verdict == "Nothing has passed all gates.");
  CHECK(campaign_json(empty).at("cards").size() > 0);
  CHECK_FALSE(campaign_text(empty, 60).empty());
}

TEST_CASE("programs get a report's numbers with their units, and people the same numbers as text") {
  const CampaignReport report = make_campaign_report(a_campaign_with("20_split_kv"), {.program = "harness 1"});
  const json view = campaign_json(report);
  CHECK(view["cards"][0]["value"]["unit"] == "ratio");
  CHECK(view["cards"][0]["value"]["value"].get<double>() == Approx(8));
  CHECK(view["cards"][1]["value"] == json{1, " of ", 2});
  const json& bests = view["sections"][0];
  REQUIRE(bests["id"] == "bests");
  CHECK(bests["columns"].size() == bests["rows"][0].size());
  CHECK(bests["rows"][0][1] == json{{"value", 5120.0}, {"unit", "ns"}});
  CHECK(bests["rows"][1][4] == json{{"value", nullptr}, {"unit", "ns"}});
  CHECK(bests["rows"][0][13] == 31);
  const auto section = [&](const std::string& id) {
    return *std::ranges::find_if(view["sections"], [&](const json& one) { return one["id"] == id; });
  };
  const json heat = section("heat")["charts"][0];
  CHECK(heat["kind"] == "heat");
  CHECK(heat["columns"].size() == heat["cells"][0].size());
  CHECK(section("spend")["charts"][0]["kind"] == "bars");
  CHECK(section("predictions")["charts"][0]["ranges"][0]["seen"] == 16.0);
}
