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
  CHECK(at("workloads", 0, "time_ns") == 51);  // what was confirmed
  CHECK(at("workloads", 0, "rival_ns") == 40);
  CHECK(found.of("curve").rows.size() == 2);
  CHECK(at("curve", 1, "time_ns") == 50);
  CHECK(found.of("failures").rows.size() == 1);
  CHECK(at("failures", 0, "iterations") == 2);
  CHECK(at("failures", 0, "example") == 4);
  CHECK(at("gains", 0, "technique") == "tiling");
  CHECK(at("gains", 0, "gain").get<double>() == Approx(2));
  double spent = 0;
  for (std::size_t i = 0; i < found.of("spend").rows.size(); ++i) spent += at("spend", i, "seconds").get<double>();
  CHECK(spent == Approx(value(*store, "SELECT sum(seconds) FROM v_costs").get<double>()));
  CHECK_THROWS_WITH(figures(*store, 77), Catch::Contains("no campaign 77"));
}

TEST_CASE("figures that take too long are left out of a report, with their queries") {
  const auto store = Store::in_memory();
  random_history(*store, 1, 1, 60);
  const CampaignFigures whole = figures(*store, 1), hasty = figures(*store, 1, 0);
  int left_out = 0;
  for (std::size_t at = 0; at < whole.figures.size(); ++at) {
    const Figure &all = whole.figures[at], &some = hasty.figures[at];
    INFO(all.name);
    CHECK_FALSE(all.left_out);
    CHECK(some.sql == all.sql);
    left_out += some.left_out ? 1 : 0;
    CHECK(some.rows == (some.left_out ? json::array() : all.rows));
  }
  CHECK(left_out > 0);
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

TEST_CASE("every filter takes lists and wildcards, alike in every answer") {
  auto store = Store::in_memory();
  const auto campaign = store->begin_campaign(a_campaign());
  record(*store, on(campaign, 1, "seed_a"), passed(100), true);
  record(*store, on(campaign, 2, "seed_b", "split-kv"), passed(50), true);
  record(*store, on(campaign, 3, "large", "split-kv"), wrong());
  CHECK(history(*store, {.workload = "seed_a,large"}).size() == 2);
  CHECK(history(*store, {.workload = "seed*"}).size() == 2);
  CHECK(history(*store, {.workload = "seed_?,large"}).size() == 3);
  CHECK(history(*store, {.outcome = "passed,wrong_answer", .technique = "split*"}).size() == 2);
  CHECK(history(*store, {.variant = "10_*"}).size() == 3);
  CHECK(history(*store, {.device = "NVIDIA*"}).size() == 3);
  CHECK(best(*store, {.limit = -1, .workload = "seed_a,seed_b"}).size() == 2);
  CHECK(best(*store, {.limit = -1, .workload = "*_b", .technique = "split-kv"}).size() == 1);
  CHECK(cost(*store, CostBy::technique, {.limit = -1, .technique = "split*,tiling"}).size() == 2);
  CHECK(cost(*store, CostBy::stage, {.limit = -1, .workload = "seed*"}).size() > 1);
  CHECK(campaigns(*store, {.workload = "seed_a,large"}).size() == 1);
  CHECK_THAT(refusal([&] { history(*store, {.workload = "seed_a,seed_x"}); }), Catch::Contains("did you mean 'seed_"));
  CHECK_THAT(refusal([&] { history(*store, {.workload = "q*"}); }), Catch::Contains("no workload 'q*' is recorded"));
  CHECK_THAT(refusal([&] { history(*store, {.workload = ","}); }), Catch::Contains("names no workload"));
}

TEST_CASE("every answer that is sorted knows its own keys, sorts by each, and refuses others") {
  auto store = Store::in_memory();
  for (int i = 0; i < 3; ++i) {
    const auto id = store->begin_campaign(a_campaign());
    record(*store, on(id, i, "s128", "tiling"), passed(100.0 - 10 * i), true);
    record(*store, on(id, i, "s512", "split-kv"), passed(50.0 + 10 * i), true);
    store->charge(id, "idle", 0.5 * (3 - i));
  }
  using Ask = std::function<json(const std::optional<std::string>&)>;
  const std::vector<std::pair<const char*, Ask>> asks{
      {"history", [&](const auto& sort) { return history(*store, {.limit = -1, .sort = sort}); }},
      {"best", [&](const auto& sort) { return best(*store, {.limit = -1, .sort = sort}); }},
      {"campaigns", [&](const auto& sort) { return campaigns(*store, {.limit = -1, .sort = sort}); }},
      {"cost by technique",
       [&](const auto& sort) { return cost(*store, CostBy::technique, {.limit = -1, .sort = sort}); }},
      {"cost by stage", [&](const auto& sort) { return cost(*store, CostBy::stage, {.limit = -1, .sort = sort}); }},
      {"cost by campaign",
       [&](const auto& sort) { return cost(*store, CostBy::campaign, {.limit = -1, .sort = sort}); }},
      {"cost by device", [&](const auto& sort) { return cost(*store, CostBy::device, {.limit = -1, .sort = sort}); }},
      {"cost of a campaign",
       [&](const auto& sort) { return cost(*store, CostBy::technique, {.campaign = 1, .limit = -1, .sort = sort}); }}};
  for (const auto& [name, ask] : asks) {
    INFO(name);
    CHECK_THAT(refusal([&] { ask("nosuch_key"); }), Catch::Contains("cannot be sorted by 'nosuch_key'"));
    const json rows = ask(std::nullopt);
    REQUIRE_FALSE(rows.empty());
    for (const auto& [key, value] : rows[0].items()) {
      if (value.is_object() || value.is_array() || key == "emulation" || key == "kernels" || key == "imported")
        continue;
      INFO(key);
      for (const bool down : {false, true}) {
        const json sorted = ask((down ? "-" : "") + key);
        CHECK(sorted.size() == rows.size());
        for (std::size_t i = 1; i < sorted.size(); ++i) {
          const json &before = sorted[i - 1][key], &after = sorted[i][key];
          if (before.is_null() || after.is_null()) continue;
          CHECK_FALSE((down ? before < after : after < before));
        }
      }
    }
  }
  CHECK(cost(*store, CostBy::technique, {.limit = 1, .sort = "-seconds"}).size() == 1);
  CHECK(campaigns(*store, {.limit = 2, .sort = "-score"}).size() == 2);
}

TEST_CASE("a campaign is called by its number, its name, or latest; one name twice means its last two") {
  auto store = Store::in_memory();
  CampaignRecord named = a_campaign(), eval = a_campaign();
  named.name = "nightly";
  eval.name = "eval";
  eval.strategy = "";
  const auto first = store->begin_campaign(named), second = store->begin_campaign(named);
  CampaignRecord other = a_campaign();
  other.name = "other";
  const auto third = store->begin_campaign(other);
  store->begin_campaign(eval);
  CHECK(campaign_called(*store, "nightly") == second);
  CHECK(campaign_called(*store, "latest") == third);
  CHECK(campaign_called(*store, std::to_string(first)) == first);
  CHECK(campaign_before(*store, second) == first);
  CHECK_FALSE(campaign_before(*store, third));
  CHECK_THAT(refusal([&] { campaign_called(*store, "nightyl"); }), Catch::Contains("did you mean 'nightly'?"));
  CHECK_THAT(refusal([&] { campaign_called(*store, "99"); }), Catch::Contains("there is no campaign 99"));
  const auto [a, b] = compared_sides(*store, "nightly", "nightly");
  CHECK(a.campaign == first);
  CHECK(b.campaign == second);
  CHECK(compared_sides(*store, "1", "1").first.campaign == compared_sides(*store, "1", "1").second.campaign);
  CHECK(compared_sides(*store, "nightly", "NVIDIA H200").second.device_name == "NVIDIA H200");
  CHECK_THAT(refusal([&] { compared_sides(*store, "nightly", "NVIDIA H20"); }),
             Catch::Contains("did you mean 'NVIDIA H200'?"));
}

TEST_CASE("a prediction has the model's range, also where an older program recorded none") {
  auto store = Store::in_memory();
  CampaignRecord campaign = a_campaign();
  campaign.device = "cpu:H200";
  campaign.device_name = "H200, predicted, not measured";
  const auto id = store->begin_campaign(campaign);
  Evaluation evaluation = passed(100);
  Timing& timing = std::get<Passed>(evaluation.outcome).timing;
  timing.emulation = true;
  timing.time_lo_ns = timing.time_hi_ns = timing.time_ns;
  timing.speedup_lo = timing.speedup_hi = timing.speedup;
  const auto iteration = record(*store, on(id, 1, "s128"), evaluation, true);
  for (const json& row : {history(*store, {}).at(0), best(*store).at(0), bests_of(*store, id).at(0)}) {
    INFO(row);
    CHECK(row["time_lo_ns"] == 50);
    CHECK(row["time_hi_ns"] == 200);
  }
  const json shown = show(*store, iteration, false);
  CHECK(shown["time_ci95_ns"] == json({50.0, 200.0}));
  CHECK(shown["speedup_ci95"].is_null());
  const json compared = compare(*store, {id, ""}, {id, ""});
  CHECK(compared["workloads"][0]["times"] == "predicted");
  CHECK(compared["workloads"][0]["verdict"] == "same");
}

TEST_CASE("every view has a sentence and its columns") {
  auto store = Store::in_memory();
  const std::vector<ViewDescription> all = views(*store);
  CHECK(all.size() >= 12);
  for (const ViewDescription& view : all) {
    INFO(view.name);
    CHECK(view.name.starts_with("v_"));
    CHECK(view.summary.size() > 10);
    CHECK(view.columns.size() >= 3);
  }
}
