#include "harness/store/history.h"

#include <sqlite3.h>

#include <catch2/catch.hpp>
#include <functional>

#include "harness/core/error.h"
#include "harness/store/columns.h"
#include "harness/store/diff.h"
#include "tests/store/recorded.h"

using namespace harness;
using namespace harness::store;
using namespace harness::store::test;

TEST_CASE("history shows the newest first and filters") {
  auto store = Store::in_memory();
  const auto first = store->begin_campaign(a_campaign());
  record(*store, an_attempt(first, 1), passed(100));
  record(*store, an_attempt(first, 2), wrong());
  const auto second = store->begin_campaign(a_campaign());
  record(*store, an_attempt(second, 3), passed(90));
  const json all = history(*store, {});
  REQUIRE(all.size() == 3);
  CHECK(all[0]["campaign"] == second);
  CHECK(all[0]["config"]["BLOCK"] == 3);
  CHECK(all[0]["confirmed"] == false);
  CHECK(all[0]["device"] == "cuda:0");
  CHECK(all[1]["error_class"] == "wrong_answer");
  CHECK(history(*store, {.limit = 2}).size() == 2);
  CHECK(history(*store, {.campaign = first}).size() == 2);
  CHECK(history(*store, {.campaign = first, .outcome = "passed"}).size() == 1);
  CHECK(history(*store, {.kernel = "attention"}).size() == 3);
  CHECK_THROWS_WITH(history(*store, {.kernel = "softmax"}), Catch::Contains("it has attention"));
}

TEST_CASE("an edited source has its label and the source in whose place it stood, in every view") {
  auto store = Store::in_memory();
  const auto campaign = store->begin_campaign(a_campaign());
  AttemptRecord edited = an_attempt(campaign, 1);
  edited.label = "mine \x1b[31m";
  edited.parent = "the variant's";
  record(*store, edited, passed(50), true);
  record(*store, an_attempt(campaign, 2), passed(100));
  const json rows = history(*store, {});
  CHECK(rows[0]["label"].is_null());
  CHECK(rows[0]["parent"].is_null());
  for (const json& row : {rows[1], best(*store)[0], show(*store, 1, false), diff(*store, 2, 1)["b"]}) {
    CHECK(row["label"] == "mine \x1b[31m");
    CHECK(row["parent"] == "the variant's");
  }
}

TEST_CASE("cost adds up by technique, stage, campaign and device") {
  auto store = Store::in_memory();
  const auto campaign = store->begin_campaign(a_campaign());
  record(*store, an_attempt(campaign, 1, "tiling"), passed(100));
  record(*store, an_attempt(campaign, 2, "split-kv"), passed(50));
  record(*store, an_attempt(campaign, 3, "split-kv"), wrong());
  store->charge(campaign, "idle", 0.1);
  const json techniques = cost(*store, CostBy::technique);
  REQUIRE(techniques.size() == 3);
  CHECK(techniques[0]["technique"] == "split-kv");
  CHECK(techniques[0]["kernel"] == "attention");
  CHECK(techniques[0]["iterations"] == 2);
  CHECK(techniques[0]["passed"] == 1);
  CHECK(techniques[0]["best_speedup"] == 20);
  CHECK(techniques[0]["seconds"].get<double>() == Approx(1.4));
  CHECK(techniques[0]["usd"].get<double>() == Approx(0.0014));
  CHECK(techniques[2]["technique"].is_null());
  const json stages = cost(*store, CostBy::stage);
  CHECK(stages[0]["stage"] == "timing");
  CHECK(stages[0]["seconds"].get<double>() == Approx(0.9));
  for (const CostBy by : {CostBy::campaign, CostBy::device}) {
    const json rows = cost(*store, by);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0]["iterations"] == 3);
    CHECK(rows[0]["seconds"].get<double>() == Approx(2.2));
  }
  CHECK(cost(*store, CostBy::campaign)[0]["name"] == "nightly");
  CHECK(cost(*store, CostBy::campaign)[0]["passed"] == 2);
}

TEST_CASE("an unknown iteration is refused with what to do") {
  auto store = Store::in_memory();
  CHECK_THROWS_WITH(show(*store, 17, false), Catch::Contains("no iteration 17") && Catch::Contains("harness history"));
}

TEST_CASE("diff shows what changed between two iterations") {
  auto store = Store::in_memory();
  const auto campaign = store->begin_campaign(a_campaign());
  const auto a = record(*store, an_attempt(campaign, 32), passed(100));
  Evaluation faster = passed(50);
  faster.source_text = "__global__ void k() { fast(); }\n";
  faster.resources->registers = 128;
  faster.gates.push_back({"guard-zones", true, ""});
  const auto b = record(*store, an_attempt(campaign, 64), faster);
  const json d = diff(*store, a, b);
  CHECK(d["parameters"] == json::array({{{"name", "BLOCK"}, {"a", 32}, {"b", 64}}}));
  CHECK(d["times"]["time_ns"] == json{{"a", 100.0}, {"b", 50.0}, {"ratio", 0.5}});
  CHECK(d["times"]["warm_time_ns"]["ratio"].is_null());
  CHECK(d["resources"]["registers"]["ratio"] == 2);
  CHECK(d["gates"][2] == json{{"name", "guard-zones"}, {"a", nullptr}, {"b", true}});
  CHECK(d["source"].get<std::string>().find("-__global__ void k() {}\n+__global__ void k() { fast(); }\n") !=
        std::string::npos);
  CHECK(d["comparable"] == true);
  CHECK(diff(*store, a, a)["source"] == "");
  const auto crashed = record(*store, an_attempt(campaign, 1), an_evaluation(Crashed{}));
  CHECK(diff(*store, a, crashed)["times"]["time_ns"]["ratio"].is_null());
}

TEST_CASE("history, best and cost never read all iterations") {
  auto store = Store::in_memory();
  random_history(*store, 1, 2, 10);
  const auto plan = [&](const std::string& sql) { return rows(*store, ("EXPLAIN QUERY PLAN " + sql).c_str()); };
  // A scan of iteration in the order of its ids ends at the limit; one that sorts would not.
  CHECK(plan("SELECT * FROM v_iterations ORDER BY iteration DESC LIMIT 20").find("B-TREE") == std::string::npos);
  for (const char* column : {"campaign", "kernel", "outcome"}) {
    const std::string filtered =
        plan(std::string("SELECT * FROM v_iterations WHERE ") + column + " = ?1 ORDER BY iteration DESC LIMIT 20");
    INFO(filtered);
    CHECK(filtered.find(std::string("iteration_by_") + column) != std::string::npos);
    CHECK(filtered.find("B-TREE") == std::string::npos);
  }
  const std::string best_plan = plan("SELECT * FROM v_best");
  INFO(best_plan);
  CHECK(best_plan.find("SCAN i ") == std::string::npos);
  CHECK(best_plan.find("SCAN i\"") == std::string::npos);
  CHECK(best_plan.find("SCAN b") != std::string::npos);
  for (const char* view : {"v_costs", "v_techniques"}) {
    const std::string sums = plan(std::string("SELECT * FROM ") + view);
    INFO(sums);
    CHECK(sums.find("iteration") == std::string::npos);
  }
}

namespace {

void add_iterations(Store& store, std::int64_t campaign, int count) {
  Connection& connection = store.connection();
  Write write(connection);
  IterationRow row = row_of(passed(100), false, 1.7e9);
  row.source.reset();
  row.gates.clear();
  row.errors.clear();
  row.samples.clear();
  for (int i = 0; i < count; ++i) {
    row.time_ns = 100.0 + (i * 7919) % 100'003;
    insert_iteration(connection, insert_attempt(connection, an_attempt(campaign, i % 50), 1.7e9), 0, row);
  }
  write.commit();
}

/// Steps of SQLite's virtual machine, in units of ten.
template <typename F>
int work(Store& store, F ask) {
  ask();  // prepares the statement, which reads the schema
  int steps = 0;
  const auto count = [](void* counter) { return ++*static_cast<int*>(counter), 0; };
  sqlite3_progress_handler(store.connection().database().getHandle(), 10, count, &steps);
  ask();
  sqlite3_progress_handler(store.connection().database().getHandle(), 0, nullptr, nullptr);
  return steps;
}

}  // namespace

TEST_CASE("history, best and cost are no more work on a long history than on a short one") {
  auto store = Store::in_memory();
  const auto campaign = store->begin_campaign(a_campaign());
  const std::vector<std::function<void()>> asks = {[&] { history(*store, {.limit = 20}); },
                                                   [&] { history(*store, {.kernel = "attention"}); },
                                                   [&] { best(*store); },
                                                   [&] { cost(*store, CostBy::technique); },
                                                   [&] { cost(*store, CostBy::stage); },
                                                   [&] { cost(*store, CostBy::campaign); },
                                                   [&] { cost(*store, CostBy::device); }};
  add_iterations(*store, campaign, 100);
  std::vector<int> few;
  for (const auto& ask : asks) few.push_back(work(*store, ask));
  add_iterations(*store, campaign, 20'000);
  for (std::size_t i = 0; i < asks.size(); ++i) {
    INFO(i);
    CHECK(work(*store, asks[i]) <= few[i] + 1);
  }
  CHECK(cost(*store, CostBy::technique)[0]["iterations"] == 20'100);
}

TEST_CASE("the fastest rival stands beside the best of its own workload, contract and device") {
  auto store = Store::in_memory();
  const auto campaign = store->begin_campaign(a_campaign());
  const auto rival = [&](std::int64_t engine, const Evaluation& evaluation, const std::string& contract = "c0ffee") {
    AttemptRecord attempt = an_attempt(campaign, engine, "cudnn");
    attempt.purpose = Purpose::rival;
    attempt.contract_hash = contract;
    return record(*store, attempt, evaluation);
  };
  const auto best_iteration = record(*store, an_attempt(campaign, 32), passed(100), true);
  CHECK(best(*store).at(0)["rival_ns"].is_null());
  CHECK(show(*store, best_iteration, false)["rival"].is_null());
  rival(0, passed(90));
  const auto fastest = rival(1, passed(60));
  rival(2, wrong());
  rival(3, passed(10), "another contract");
  const json row = best(*store).at(0);
  CHECK(row["variant"] == "10_tiling");  // the rival is faster and no winner
  CHECK(row["rival_variant"] == "10_cudnn");
  CHECK(row["rival_config"]["BLOCK"] == 1);
  CHECK(row["rival_ns"] == 60);
  CHECK(row["rival_iteration"] == fastest);
  CHECK(row["rival_deterministic"] == 1);
  CHECK(show(*store, best_iteration, false)["rival"]["time_ns"] == 60);
  Evaluation differs = passed(50);
  differs.gates.push_back(
      {"timed-twice", true, "not deterministic, which a rival may be: 42 of 127 timed calls", false});
  rival(4, differs);
  CHECK(best(*store).at(0)["rival_deterministic"] == 0);
}
