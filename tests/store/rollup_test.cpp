#include <catch2/catch.hpp>
#include <cmath>

#include "harness/store/campaigns.h"
#include "harness/store/history.h"
#include "harness/store/page_record.h"
#include "tests/store/recorded.h"

using namespace harness;
using namespace harness::store;
using namespace harness::store::test;

namespace {

// The same sums, from the iterations alone.
constexpr const char* kBestRecomputed = R"(
  SELECT kernel, workload, device_name, contract_hash, confirmed, id, time_ns FROM (
    SELECT i.*, c.contract_hash, p.device_name,
           row_number() OVER (PARTITION BY i.kernel, i.workload, p.device_name, c.contract_hash, i.confirmed
                              ORDER BY i.time_ns, i.id) AS place
    FROM iteration i JOIN candidate c ON c.id = i.candidate JOIN campaign p ON p.id = i.campaign
    WHERE i.outcome = 'passed' AND NOT EXISTS (
      SELECT 1 FROM iteration w JOIN campaign q ON q.id = w.campaign
      WHERE w.candidate = i.candidate AND w.workload = i.workload AND q.device_name = p.device_name
        AND w.outcome IN ('wrong_answer', 'rejected')))
  WHERE place = 1 ORDER BY 1, 2, 3, 4, 5)";

constexpr const char* kArmsRecomputed = R"(
  SELECT i.campaign, i.kernel, i.workload, c.technique, c.contract_hash, count(*), sum(i.outcome = 'passed'),
         round(sum(i.wall_s), 6), max(iif(i.outcome = 'passed', i.speedup, NULL))
  FROM iteration i JOIN candidate c ON c.id = i.candidate GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5)";

constexpr const char* kDeviceCosts =
    "SELECT device_name, kernel, technique, stage, round(seconds, 6), round(usd, 9), round(unpriced_s, 6) "
    "FROM rollup_device_cost ORDER BY 1, 2, 3, 4";
constexpr const char* kDeviceCostsRecomputed =
    "SELECT device_name, coalesce(kernel, ''), coalesce(technique, ''), stage, round(sum(seconds), 6), round(sum(usd), "
    "9), "
    "round(sum(unpriced_s), 6) FROM v_costs GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4";
constexpr const char* kDeviceTechniques =
    "SELECT device_name, kernel, technique, iterations, passed, best_speedup FROM rollup_device_technique ORDER BY 1, "
    "2, 3";
constexpr const char* kDeviceTechniquesRecomputed =
    "SELECT device_name, kernel, technique, count(*), sum(outcome = 'passed'), max(iif(outcome = 'passed', speedup, "
    "NULL)) "
    "FROM v_iterations GROUP BY 1, 2, 3 ORDER BY 1, 2, 3";

// How a campaign's iterations ended, and how its best times fell, from the iterations alone.
constexpr const char* kEndsRecomputed = R"(
  SELECT campaign, outcome, coalesce(error_class, ''), count(*), round(sum(wall_s), 6), round(sum(usd), 9), max(id)
  FROM iteration GROUP BY 1, 2, 3 ORDER BY 1, 2, 3)";
constexpr const char* kStepsRecomputed = R"(
  WITH passed AS (
    SELECT *, min(time_ns) OVER (PARTITION BY campaign, kernel, workload ORDER BY id
                                 ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
    FROM iteration i WHERE outcome = 'passed' AND purpose <> 'rival' AND time_ns IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM iteration w JOIN campaign q ON q.id = w.campaign JOIN campaign p ON p.id = i.campaign
      WHERE w.candidate = i.candidate AND w.workload = i.workload AND q.device_name = p.device_name
        AND w.outcome IN ('wrong_answer', 'rejected')))
  SELECT p.campaign, p.kernel, p.workload, p.id, p.time_ns,
         (SELECT round(sum(i.usd), 9) FROM iteration i WHERE i.campaign = p.campaign AND i.id <= p.id)
  FROM passed p WHERE p.before IS NULL OR p.time_ns < p.before ORDER BY 1, 2, 3, 4)";

}  // namespace

TEST_CASE("the sums equal what the iterations say, after any history") {
  const unsigned seed = GENERATE(1u, 2u, 3u, 4u, 5u, 6u);
  auto store = Store::in_memory();
  random_history(*store, seed, 4, 40);
  CHECK(rows(*store,
             "SELECT kernel, workload, device_name, contract_hash, confirmed, iteration, time_ns FROM rollup_best "
             "ORDER BY 1, 2, 3, 4, 5") == rows(*store, kBestRecomputed));
  CHECK(rows(*store,
             "SELECT campaign, kernel, workload, technique, contract_hash, iterations, passed, round(wall_s, 6), "
             "best_speedup FROM rollup_arm ORDER BY 1, 2, 3, 4, 5") == rows(*store, kArmsRecomputed));
  CHECK(rows(*store,
             "SELECT campaign, outcome, class, iterations, round(seconds, 6), round(usd, 9), example FROM rollup_end "
             "ORDER BY 1, 2, 3") == rows(*store, kEndsRecomputed));
  CHECK(rows(*store,
             "SELECT campaign, kernel, workload, iteration, time_ns, round(usd, 9) FROM rollup_step "
             "ORDER BY 1, 2, 3, 4") == rows(*store, kStepsRecomputed));
  CHECK(rows(*store, kDeviceCosts) == rows(*store, kDeviceCostsRecomputed));
  CHECK(rows(*store, kDeviceTechniques) == rows(*store, kDeviceTechniquesRecomputed));
  for (const char* stage : {"build", "gates", "timing"}) {
    INFO(stage);
    Statement sums(store->connection(), "SELECT sum(seconds) FROM rollup_cost WHERE stage = ?", stage);
    REQUIRE(sums.next());
    const std::string own = std::string("SELECT sum(") + stage + "_s) FROM iteration";
    CHECK(sums.real(0) == Approx(value(*store, own.c_str()).get<double>()));
  }
  CHECK(
      value(*store, "SELECT sum(usd) FROM rollup_cost").get<double>() ==
      Approx(value(*store, "SELECT (SELECT sum(usd) FROM iteration) + (SELECT total(usd) FROM charge)").get<double>()));
  CHECK(value(*store, "SELECT sum(seconds) FROM rollup_cost WHERE kernel = ''") ==
        value(*store, "SELECT sum(seconds) FROM charge"));
}

TEST_CASE("the score of a campaign is of what was confirmed, and a winner that was refuted is no part of it") {
  auto store = Store::in_memory();
  CampaignRecord record_of = a_campaign();
  record_of.options = json::parse(R"({"planned":[{"kernel":"attention","workload":"s128","weight":3.0},
                                      {"kernel":"attention","workload":"s512","weight":1.0}]})");
  const auto campaign = store->begin_campaign(record_of);
  const auto score = [&] {
    const json listed = campaigns(*store, {}).at(0);
    const PageSql list = page_sql("campaigns", {{"before", "99"}, {"text", ""}});
    CHECK(rows(*store, ("SELECT score FROM (" + list.sql + ")").c_str()) == json_text(listed["score"]) + " \n");
    return listed["score"];
  };
  const auto falls = [&] { return value(*store, "SELECT group_concat(CAST(time_ns AS INTEGER)) FROM rollup_step"); };
  CHECK(score().is_null());
  record(*store, an_attempt(campaign, 1), passed(100));  // speedup 10
  CHECK(score().get<double>() == Approx(std::pow(10, 3 / 4.0)));
  record(*store, an_attempt(campaign, 2), passed(10));  // 100
  record(*store, an_attempt(campaign, 3), passed(50));  // 20, no step beside the one before
  CHECK(score().get<double>() == Approx(std::pow(100, 3 / 4.0)));
  CHECK(falls() == "100,10");
  record(*store, an_attempt(campaign, 2), an_evaluation(WrongAnswer{}));
  CHECK(score().get<double>() == Approx(std::pow(20, 3 / 4.0)));
  CHECK(falls() == "100,50");
  AttemptRecord confirm = an_attempt(campaign, 3);
  confirm.purpose = Purpose::confirm;
  record(*store, confirm, an_evaluation(Interrupted{}));  // says nothing
  CHECK(falls() == "100,50");
  record(*store, confirm, an_evaluation(TimedOut{}));
  CHECK(score().get<double>() == Approx(std::pow(10, 3 / 4.0)));
  CHECK(falls() == "100");
  CHECK(bests_of(*store, campaign).at(0)["time_ns"] == 100);
  record(*store, an_attempt(campaign, 1), passed(80), true);  // 12.5, confirmed
  CHECK(score().get<double>() == Approx(std::pow(12.5, 3 / 4.0)));
  const json listed = campaigns(*store, {}).at(0);
  CHECK(listed["workloads"] == 1);
  CHECK(listed["workloads_planned"] == 2);
}

TEST_CASE("the best is the best confirmed, and without one the best that passed") {
  auto store = Store::in_memory();
  const auto campaign = store->begin_campaign(a_campaign());
  record(*store, an_attempt(campaign, 1), passed(100));
  record(*store, an_attempt(campaign, 2), passed(80));
  REQUIRE(best(*store).size() == 1);
  CHECK(best(*store)[0]["time_ns"] == 80);
  CHECK(best(*store)[0]["confirmed"] == false);
  const auto confirmed = record(*store, an_attempt(campaign, 1), passed(95), true);
  REQUIRE(best(*store).size() == 1);
  CHECK(best(*store)[0]["iteration"] == confirmed);
  CHECK(best(*store)[0]["config"] == json{{"BLOCK", 1}, {"FAST", true}});
  CHECK(best(*store)[0]["confirmed"] == true);
  CHECK(best(*store)[0]["of_floor"].get<double>() == Approx(50.0 / 95));
  CHECK(best(*store, {.kernel = "attention", .workload = "s128"}).size() == 1);
  CHECK_THROWS(best(*store, {.kernel = "softmax"}));
}

TEST_CASE("a candidate that once gave a wrong answer is never the best") {
  auto store = Store::in_memory();
  const auto campaign = store->begin_campaign(a_campaign());
  record(*store, an_attempt(campaign, 1), passed(100), true);
  record(*store, an_attempt(campaign, 2), passed(50), true);
  record(*store, an_attempt(campaign, 2), wrong(), true);
  CHECK(best(*store)[0]["time_ns"] == 100);
  record(*store, an_attempt(campaign, 2), passed(40), true);
  CHECK(best(*store)[0]["time_ns"] == 100);
}

TEST_CASE("the best is that of the newest contract") {
  auto store = Store::in_memory();
  const auto campaign = store->begin_campaign(a_campaign());
  AttemptRecord old = an_attempt(campaign, 1);
  old.contract_hash = "0ld";
  record(*store, old, passed(10), true);
  const auto newer = record(*store, an_attempt(campaign, 1), passed(100), true);
  REQUIRE(best(*store).size() == 1);
  CHECK(best(*store)[0]["iteration"] == newer);
}

TEST_CASE("devices have each their own best") {
  auto store = Store::in_memory();
  record(*store, an_attempt(store->begin_campaign(a_campaign("A"))), passed(10), true);
  record(*store, an_attempt(store->begin_campaign(a_campaign("B"))), passed(20), true);
  const json rows = best(*store);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0]["device_name"] == "A");
  CHECK(rows[1]["time_ns"] == 20);
}

TEST_CASE("money without a price is unknown, not zero") {
  auto store = Store::in_memory();
  CampaignRecord record_without_price = a_campaign();
  record_without_price.usd_per_hour.reset();
  const auto campaign = store->begin_campaign(record_without_price);
  Evaluation evaluation = passed(100);
  evaluation.cost.usd.reset();
  record(*store, an_attempt(campaign), evaluation);
  store->charge(campaign, "idle", 2);
  for (const json& row : cost(*store, CostBy::stage)) {
    INFO(json_text(row));
    CHECK(row["usd"].is_null());
    CHECK(row["unpriced_s"] == row["seconds"]);
  }
}
