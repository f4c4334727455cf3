#include <catch2/catch.hpp>
#include <cmath>

#include "harness/core/error.h"
#include "harness/store/campaigns.h"
#include "harness/store/compare.h"
#include "harness/store/figures.h"
#include "harness/store/history.h"
#include "harness/store/integrity.h"
#include "harness/store/recommend.h"
#include "tests/store/recorded.h"

using namespace harness;
using namespace harness::store;
using namespace harness::store::test;

namespace {

AttemptRecord on(std::int64_t campaign, std::int64_t block, const std::string& workload,
                 const std::string& technique = "tiling") {
  AttemptRecord attempt = an_attempt(campaign, block, technique);
  attempt.workload = workload;
  return attempt;
}

std::string refusal(const std::function<void()>& ask) {
  try {
    ask();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("filters combine, and an unknown name is refused with the nearest one") {
  auto store = Store::in_memory();
  const auto campaign = store->begin_campaign(a_campaign());
  record(*store, on(campaign, 1, "s128"), passed(100));
  record(*store, on(campaign, 2, "s128", "split-kv"), wrong());
  record(*store, on(campaign, 3, "s512", "split-kv"), passed(50));
  CHECK(history(*store, {.workload = "s128"}).size() == 2);
  CHECK(history(*store, {.outcome = "passed", .technique = "split-kv"}).size() == 1);
  CHECK(history(*store, {.workload = "s128", .technique = "split-kv"})[0]["outcome"] == "wrong_answer");
  CHECK(history(*store, {.variant = "10_split-kv"}).size() == 2);
  CHECK(history(*store, {.device = "cuda:0"}).size() == 3);
  CHECK(history(*store, {.device = "NVIDIA H200"}).size() == 3);
  CHECK(history(*store, {.since_unix = 4e9}).empty());
  CHECK(history(*store, {.since_unix = 1}).size() == 3);
  CHECK(history(*store, {.outcome = "passed", .sort = "time_ns"})[0]["time_ns"] == 50);
  CHECK(history(*store, {.outcome = "passed", .sort = "-time_ns"})[0]["time_ns"] == 100);
  CHECK_THAT(refusal([&] { history(*store, {.workload = "s12"}); }), Catch::Contains("did you mean 's128'?"));
  CHECK_THAT(refusal([&] { history(*store, {.kernel = "zzzzzzzz"}); }),
             Catch::Contains("it has attention") && !Catch::Contains("''"));
  CHECK_THAT(refusal([&] { history(*store, {.sort = "tme_ns"}); }), Catch::Contains("did you mean 'time_ns'?"));
  CHECK_THAT(refusal([&] { history(*store, {.campaign = 9}); }), Catch::Contains("no campaign 9"));
}

TEST_CASE("the best and the cost among what fits a filter are those of the iterations that fit") {
  auto store = Store::in_memory();
  const auto first = store->begin_campaign(a_campaign());
  record(*store, on(first, 1, "s128"), passed(100), true);
  record(*store, on(first, 2, "s128", "split-kv"), passed(60));
  const auto second = store->begin_campaign(a_campaign());
  record(*store, on(second, 3, "s128", "split-kv"), passed(80), true);
  store->charge(second, "idle", 0.5);
  CHECK(best(*store)[0]["time_ns"] == 80);  // of what was confirmed
  CHECK(best(*store, {.campaign = first, .limit = -1})[0]["time_ns"] == 100);
  CHECK(best(*store, {.limit = -1, .technique = "split-kv"})[0]["time_ns"] == 80);
  CHECK(best(*store, {.campaign = first, .limit = -1, .technique = "split-kv"})[0]["time_ns"] == 60);
  const auto sum = [&](CostBy by, const HistoryFilter& filter) {
    double seconds = 0;
    for (const json& row : cost(*store, by, filter)) seconds += row["seconds"].get<double>();
    return seconds;
  };
  for (const CostBy by : {CostBy::technique, CostBy::stage, CostBy::campaign, CostBy::device}) {
    const double one = sum(by, {.campaign = first, .limit = -1}), two = sum(by, {.campaign = second, .limit = -1});
    CHECK(one + two == Approx(sum(by, {.limit = -1})));
    CHECK(one == Approx(sum(by, {.campaign = first, .limit = -1, .since_unix = 1})));  // added up, not summed before
    CHECK(sum(by, {.campaign = second, .limit = -1, .workload = "s128"}) == Approx(two - 0.5));
  }
}

TEST_CASE("campaigns have their score, their driver's release and what they cost") {
  auto store = Store::in_memory();
  CampaignRecord campaign = a_campaign();
  campaign.environment = {{"driver_release", "580.65.06"}, {"revision", "abc"}, {"device", {{"driver", "CUDA 13.0"}}}};
  const auto id = store->begin_campaign(campaign);
  record(*store, on(id, 1, "s128"), passed(100), true);
  record(*store, on(id, 1, "s512"), passed(25), true);
  const json row = campaigns(*store).at(0);
  for (const char* key : {"campaign", "name", "begun", "ended", "device", "device_name", "driver", "strategy", "reason",
                          "score", "iterations", "spent_s", "cost_usd", "revision"})
    CHECK(row.contains(key));
  const json rows = best(*store);
  CHECK(row["score"].get<double>() ==
        Approx(std::sqrt(rows[0]["speedup"].get<double>() * rows[1]["speedup"].get<double>())));
  CHECK(row["driver"] == "580.65.06");
  CHECK(row["iterations"] == 2);
}

TEST_CASE("two campaigns are compared by the intervals of their bests") {
  auto store = Store::in_memory();
  const auto timed = [](double ns, double width) {
    Evaluation evaluation = passed(ns);
    Timing& timing = std::get<Passed>(evaluation.outcome).timing;
    timing.time_lo_ns = ns - width;
    timing.time_hi_ns = ns + width;
    return evaluation;
  };
  const auto a = store->begin_campaign(a_campaign()), b = store->begin_campaign(a_campaign());
  record(*store, on(a, 1, "s128"), timed(100, 2), true);
  record(*store, on(b, 1, "s128"), timed(80, 2), true);
  record(*store, on(a, 1, "s512"), timed(100, 30), true);
  record(*store, on(b, 1, "s512"), timed(80, 30), true);
  record(*store, on(b, 1, "s64"), timed(80, 2), true);
  const json answer = compare(*store, {a, ""}, {b, ""});
  REQUIRE(answer["workloads"].size() == 2);
  CHECK(answer["workloads"][0]["verdict"] == "faster");
  CHECK(answer["workloads"][0]["ratio"] == 0.8);
  CHECK(answer["workloads"][0]["ratio_ci95"][0].get<double>() == Approx(78.0 / 102));
  CHECK(answer["workloads"][1]["verdict"] == "same");
  CHECK(answer["only_b"] == json::array({{{"kernel", "attention"}, {"workload", "s64"}}}));
  CHECK(answer["only_a"].empty());
  CHECK(answer["score"].get<double>() == Approx(1.25));
  CHECK(compare(*store, {a, ""}, {std::nullopt, "NVIDIA H200"})["workloads"].size() == 2);
  CHECK_THROWS_WITH(compare(*store, {a, ""}, {99, ""}), Catch::Contains("no campaign 99"));
}

TEST_CASE("one candidate for all workloads is the least bad of those that passed on all, and a table has its regret") {
  auto store = Store::in_memory();
  const auto id = store->begin_campaign(a_campaign());
  const double times[3][2] = {{100, 400}, {200, 200}, {110, 240}};  // configuration x workload
  for (int c = 0; c < 3; ++c)
    for (int w = 0; w < 2; ++w) record(*store, on(id, c + 1, w == 0 ? "s128" : "s512"), passed(times[c][w]));
  record(*store, on(id, 4, "s128"),
         passed(90));  // the fastest of one workload, and nothing is known of it on the other
  const json answer = recommend(*store, {.kernel = "attention"});
  REQUIRE(answer["workloads"].size() == 2);
  const json& first = answer["single"][0];
  CHECK(first["config"]["BLOCK"] == 3);
  CHECK(first["geomean"].get<double>() == Approx(std::sqrt(110.0 / 90 * 240.0 / 200)));
  CHECK(first["worst"].get<double>() == Approx(110.0 / 90));
  CHECK(first["worst_workload"] == "s128");
  CHECK(answer["single"].back()["workloads"] == 1);
  const json& tables = answer["dispatch"];
  CHECK(tables[0]["candidates"] == 1);
  CHECK(tables[0]["geomean"] == first["geomean"]);
  CHECK(tables.back()["worst"] == 1.0);
  CHECK(tables.back()["table"][0]["regret"] == 1.0);
  CHECK(recommend(*store, {.campaign = id, .kernel = "attention"})["single"] == answer["single"]);
  CHECK_THAT(refusal([&] { recommend(*store, {.kernel = "attentoin"}); }),
             Catch::Contains("did you mean 'attention'?"));
}

TEST_CASE("every figure of a report is a query, and says what the iterations say") {
  auto store = Store::in_memory();
  const auto id = store->begin_campaign(a_campaign());
  AttemptRecord baseline = on(id, 1, "s128", "naive");
  baseline.purpose = Purpose::baseline;
  record(*store, baseline, passed(100));
  record(*store, on(id, 2, "s128"), passed(50));
  record(*store, on(id, 3, "s128"), passed(70));
  record(*store, on(id, 4, "s128"), wrong());
  record(*store, on(id, 5, "s128"), wrong());
  AttemptRecord rival = on(id, 0, "s128", "cudnn");
  rival.purpose = Purpose::rival;
  record(*store, rival, passed(40));
  record(*store, on(id, 2, "s128"), passed(51), true);
  store->charge(id, "idle", 0.5);
  const CampaignFigures found = figures(*store, id);
  REQUIRE(found.figures.size() == figure_names().size());
  for (const Figure& figure : found.figures) {  // the query for a person gives the same rows
    INFO(figure.name);
    Statement again(store->connection(), figure.sql.c_str());
    json rows = json::array();
    while (again.next()) {
      json row = json::array();
      for (int column = 0; column < again.columns(); ++column) row.push_back(again.brief(column));
      rows.push_back(row);
    }
    CHECK(rows == figure.rows);
    CHECK_FALSE(figure.title.empty());
  }
  const auto at = [&](const char* name, std::size_t row, const char* column) {
    return found.of(name).at(found.of(name).rows.at(row), column);
  };
  CHECK(at("bests", 0, "time_ns") == 51);  // what was confirmed
  CHECK(at("bests", 0, "rival_ns") == 40);
  CHECK(found.of("staircase").rows.size() == 2);
  CHECK(at("staircase", 1, "time_ns") == 50);
  CHECK(found.of("failures").rows.size() == 1);
  CHECK(at("failures", 0, "iterations") == 2);
  CHECK(at("failures", 0, "example") == 4);
  CHECK(at("techniques", 0, "technique") == "tiling");
  CHECK(at("techniques", 0, "gain").get<double>() == Approx(2));
  double spent = 0;
  for (std::size_t i = 0; i < found.of("spend").rows.size(); ++i) spent += at("spend", i, "seconds").get<double>();
  CHECK(spent == Approx(value(*store, "SELECT sum(seconds) FROM v_costs").get<double>()));
  CHECK_THROWS_WITH(figures(*store, 77), Catch::Contains("no campaign 77"));
}

TEST_CASE("a store is whole until a text is not the one its key was made of") {
  auto store = Store::in_memory();
  record(*store, an_attempt(store->begin_campaign(a_campaign()), 1), passed(100));
  CHECK(integrity(*store).empty());
  store->connection().database().exec("UPDATE source SET text = text || ' '");
  const auto wrong = integrity(*store);
  REQUIRE(wrong.size() == 1);
  CHECK_THAT(wrong[0], Catch::Contains("a text of source"));
}
