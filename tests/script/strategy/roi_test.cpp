#include <catch2/catch.hpp>
#include <random>

#include "harness/script/strategy/strategy.h"
#include "tests/script/strategy_fixture.h"

using namespace harness;
using namespace harness::script::fixture;

namespace {

Decision decide(const Snapshot& s, const std::string& strategy = "roi") {
  return script::Library({kShipped}).strategy(strategy)->decide(s);
}

std::string technique(const Decision& d) {
  return std::string(name(d.action)) + " " + d.arm.technique;
}

}  // namespace

TEST_CASE("roi does not spend a decision on a baseline: the campaign measures it before anything else") {
  ArmState baseline = arm("naive", 1, 1, 1, 1);
  baseline.baseline = true;
  Snapshot s = snapshot({baseline, arm("tiling", 4, 8, 0.9, 10)});
  s.workloads[0].baseline_ns.reset();
  s.workloads[0].speedup.reset();
  CHECK(technique(decide(s)) == "try tiling");
}

TEST_CASE("roi prefers the higher gain per minute") {
  CHECK(technique(decide(snapshot({arm("a", 1.5, 2, 0.8, 20), arm("b", 3, 6, 0.8, 20)}))) == "try b");
  Snapshot s = snapshot({arm("a", 1.5, 2, 0.8, 20), arm("b", 3, 6, 0.8, 20)});
  for (ArmState& each : s.arms) evaluate(each, {1.0});
  s.arms[1].log_evaluation_mean = std::log(6.0 * 200);  // its builds take minutes
  s.arms[0].log_evaluation_mean = std::log(6.0);
  CHECK(technique(decide(s)) == "try a");
}

TEST_CASE("roi sends a device to a workload that no other is at work on, unless it promises far less") {
  const auto of_two = [](double low, double high) {
    Snapshot s = snapshot({arm("a", 2, 4, 0.8, 20), arm("b", low, high, 0.8, 20)});
    s.arms[1].id.workload = "other";
    s.workloads.push_back(s.workloads[0]);
    s.workloads[1].workload = "other";
    add_techniques(s);
    return s;
  };
  Snapshot s = of_two(2, 3.8);
  CHECK(technique(decide(s)) == "try a");
  s.arms[0].running = 1;
  CHECK(technique(decide(s)) == "try b");
  s = of_two(1.05, 1.1);
  s.arms[0].running = 1;
  CHECK(technique(decide(s)) == "try a");
}

TEST_CASE("a success probability reverses the order") {
  CHECK(technique(decide(snapshot({arm("safe", 1.5, 2, 0.95, 20), arm("bold", 4, 8, 0.6, 20)}))) == "try bold");
  CHECK(technique(decide(snapshot({arm("safe", 1.5, 2, 0.95, 20), arm("bold", 4, 8, 0.1, 20)}))) == "try safe");
}

TEST_CASE("roi leaves an arm that keeps failing") {
  Snapshot s = snapshot({arm("bold", 4, 8, 0.8, 20), arm("safe", 1.5, 2, 0.9, 20)});
  CHECK(technique(decide(s)) == "try bold");
  evaluate(s.arms[0], {}, 14);
  CHECK(technique(decide(s)) == "try safe");
}

TEST_CASE("earlier campaigns count") {
  Snapshot s = snapshot({arm("bold", 4, 8, 0.8, 20), arm("safe", 1.5, 2, 0.9, 20)});
  s.arms[0].earlier_evaluations = 100;
  add_techniques(s);
  CHECK(technique(decide(s)) == "try safe");
  s.arms[0].earlier_passed = 100;
  s.arms[0].earlier_best_speedup = 6;
  add_techniques(s);
  CHECK(technique(decide(s)) == "try bold");
}

TEST_CASE("what other workloads showed orders the techniques that were tried there") {
  Snapshot s = snapshot({arm("a", 2, 4, 0.8, 20), arm("b", 2, 4, 0.8, 20), arm("c", 2, 4, 0.8, 20)});
  s.arms[0].elsewhere = {{"like it", 0.5, 40, 10}};
  s.arms[1].elsewhere = {{"like it", 0.5, 90, 10}};
  s.arms[2].elsewhere = {{"like it", 0.5, 60, 10}};
  CHECK(technique(decide(s)) == "try b");
  s.arms[2].elsewhere = {{"like it", 0.1, 200, 10}};
  CHECK(technique(decide(s)) == "try c");
  // Far away it counts little: the manifests say more.
  for (ArmState& each : s.arms) each.elsewhere[0].distance = 30;
  s.arms[0].prior = {4, 8, 0.8, 20};
  CHECK(technique(decide(s)) == "try a");
}

TEST_CASE("a technique that was tried alone elsewhere is compared with nothing") {
  Snapshot s = snapshot({arm("a", 3, 6, 0.8, 20), arm("b", 1.5, 2, 0.8, 20)});
  s.arms[1].elsewhere = {{"like it", 0.1, 900, 10}};
  CHECK(technique(decide(s)) == "try a");
}

TEST_CASE("what was gained already is not expected again") {
  Snapshot s = snapshot({arm("a", 2, 4, 0.8, 20), arm("b", 2.5, 5, 0.8, 20)});
  evaluate(s.arms[1], std::vector<double>(20, 1.1));  // b did not keep its promise
  s.workloads[0].speedup = 1.1;
  CHECK(technique(decide(s)) == "try a");
}

TEST_CASE("a kernel of several launches waits until a simple one is done") {
  ArmState split = arm("split-kv", 2, 4, 0.7, 30);
  split.multi_kernel = true;
  Snapshot s = snapshot({arm("tiling", 1.5, 2.5, 0.8, 20), split});
  CHECK(technique(decide(s)) == "try tiling");
  s.arms[0].exhausted = true;
  CHECK(technique(decide(s)) == "try split-kv");
}

TEST_CASE("roi stores the table it chose from and predicts speedup, probability and minutes") {
  Snapshot s = snapshot({arm("a", 2, 4, 0.8, 20), arm("b", 2.5, 5, 0.5, 20)});
  const Decision d = decide(s);
  REQUIRE(d.table.size() == 2);
  CHECK(d.table[0]["arm"] == "k/w/a");
  CHECK(d.table[0]["p"].get<double>() == Approx(0.8));
  CHECK(d.table[0]["score"].get<double>() > d.table[1]["score"].get<double>());
  for (const char* key : {"gain", "minutes", "evaluations", "per_minute", "typical"}) CHECK(d.table[0].contains(key));
  CHECK(!d.table[0].contains("per_usd"));  // no price, no dollars
  CHECK(d.predict.speedup_lo < 2);         // one evaluation, not the best of many
  CHECK(d.predict.speedup_hi > 2);
  CHECK(*d.predict.probability == Approx(0.8));
  CHECK(*d.predict.minutes_lo < 0.1);  // 6 s
  CHECK(*d.predict.minutes_hi > 0.1);
  s.usd_per_hour = 3.6;
  CHECK(decide(s).table[0].contains("per_usd"));
}

TEST_CASE("predictions follow what was seen, and their width how well they held") {
  Snapshot s = snapshot({arm("a", 2, 4, 0.8, 20)});
  const Prediction before = decide(s).predict;
  evaluate(s.arms[0], std::vector<double>{1.5, 1.52, 1.49, 1.51, 1.5, 1.51, 1.53, 1.5});
  s.arms[0].log_evaluation_mean = std::log(12.0);
  s.arms[0].log_evaluation_sd = 0.05;
  const Prediction after = decide(s).predict;
  CHECK(after.speedup_lo > 1);
  CHECK(after.speedup_hi < 2.5);
  CHECK(after.speedup_hi / after.speedup_lo < before.speedup_hi / before.speedup_lo);
  CHECK(*after.minutes_lo > *before.minutes_lo);
  s.calibration.speedup_widen = 2;
  s.calibration.minutes_scale = 3;
  const Prediction corrected = decide(s).predict;
  CHECK(std::log(corrected.speedup_hi / corrected.speedup_lo) ==
        Approx(2 * std::log(after.speedup_hi / after.speedup_lo)));
  CHECK(*corrected.minutes_hi == Approx(3 * *after.minutes_hi));
}

TEST_CASE("what a technique showed on one workload is expected of it on another") {
  Snapshot s = snapshot(
      {arm("a", 1.5, 3, 0.8, 20), arm("b", 1.5, 3, 0.8, 20), arm("a", 1.5, 3, 0.8, 20), arm("b", 1.5, 3, 0.8, 20)});
  for (std::size_t i : {2u, 3u}) s.arms[i].id.workload = "other";
  WorkloadState other = s.workloads[0];
  other.workload = "other";
  s.workloads.push_back(other);
  evaluate(s.arms[0], {0.9, 0.95, 0.92, 0.93});
  evaluate(s.arms[1], {2.4, 2.6, 2.5, 2.45});
  s.workloads[0].speedup = 2.6;
  add_techniques(s);
  const Decision d = decide(s);
  CHECK(d.arm == ArmId{"k", "other", "b"});
}

TEST_CASE("each cheap arm is tried once before any is tried twice, the most promising first") {
  Snapshot s = snapshot({arm("a", 2, 8, 0.9, 20), arm("b", 1.5, 3, 0.8, 20), arm("c", 1.5, 3, 0.8, 20)});
  evaluate(s.arms[0], {6.0});
  s.workloads[0].speedup = 6;
  evaluate(s.arms[2], {1.2});
  CHECK(technique(decide(s)) == "try b");
  evaluate(s.arms[1], {1.4});
  CHECK(technique(decide(s)) == "try a");
}

TEST_CASE(
    "no arm has a second evaluation before the cheap arms of its workload had their first, however short the time is") {
  Snapshot s = snapshot({arm("a", 4, 8, 0.9, 20), arm("unlikely", 1, 1.1, 0.5, 20), arm("b", 3, 6, 0.8, 20)});
  s.budget_s = 40;  // no evaluation of 6 s is a small share of it
  evaluate(s.arms[0], {5.0});
  evaluate(s.arms[2], {1.2});
  s.workloads[0].speedup = 5;
  for (std::size_t i : {0u, 2u}) s.arms[i].log_evaluation_mean = std::log(6.0);
  const Decision d = decide(s);
  CHECK(d.arm.technique == "unlikely");
  CHECK(d.why == "k/w/unlikely was never tried, and a was");
  s.arms[1].earlier_evaluations = 3;  // an earlier campaign has looked
  add_techniques(s);
  CHECK(technique(decide(s)) == "try a");
}

TEST_CASE("an arm is left out of the first looks only where prediction and limit both say that it cannot win") {
  Snapshot s = snapshot({arm("a", 4, 8, 0.9, 20), arm("slow", 1, 1.1, 0.5, 20)});
  s.budget_s = 40;
  evaluate(s.arms[0], {4.0, 5.0});
  s.arms[0].log_evaluation_mean = std::log(6.0);
  s.workloads[0].speedup = 5;
  s.workloads[0].best_ns = 200;
  s.workloads[0].floor_ns = 140;  // 70 % of it is reached
  s.arms[1].predicted_ns = 3000;
  s.arms[1].predicted_points = 2;
  const Decision d = decide(s);
  CHECK(d.arm.technique == "a");
  CHECK_THAT(
      d.why,
      Catch::EndsWith(
          "; left out: k/w/slow (predicted at 15 times the best's time; here the best is at 70 % of its limit)"));
  s.workloads[0].floor_ns = 40;  // far from the limit: even a bad prediction is looked at
  CHECK(technique(decide(s)) == "try slow");
  s.workloads[0].floor_ns = 140;
  s.arms[1].predicted_ns = 390;  // it may be half of that
  CHECK(technique(decide(s)) == "try slow");
}

TEST_CASE(
    "an arm whose first configuration was slow promises what counting predicts of another, as long as that waits") {
  const auto promise = [](double predicted_ns, int evaluations) {
    Snapshot s = snapshot({arm("a", 4, 8, 0.9, 20), arm("b", 4, 8, 0.9, 20)});
    evaluate(s.arms[0], {5.0, 4.8, 4.9, 4.7, 5.0, 4.9});
    evaluate(s.arms[1], std::vector<double>(static_cast<std::size_t>(evaluations), 2.0));
    s.workloads[0].speedup = 5;
    s.workloads[0].floor_ns = 20;
    s.arms[0].predicted_ns = 1000.0 / 4;  // a quarter faster than counted
    s.arms[1].predicted_ns = predicted_ns;
    for (std::size_t i : {0u, 1u}) s.arms[i].predicted_points = 1;
    for (const json& row : decide(s).table)
      if (row.at("arm") == "k/w/b") return row.at("gain").get<double>();
    return 0.0;
  };
  CHECK(promise(1000.0 / 6, 1) > 2 * promise(1000.0 / 2, 1));
  CHECK(promise(1000.0 / 6, 4) == Approx(promise(1000.0 / 2, 4)));
}

TEST_CASE("where nobody has counted, an arm is left out for what its technique showed on workloads like this one") {
  Snapshot s = snapshot({arm("a", 4, 8, 0.9, 20), arm("slow", 1, 1.1, 0.5, 20)});
  s.budget_s = 40;
  evaluate(s.arms[0], {4.0, 5.0});
  s.arms[0].log_evaluation_mean = std::log(6.0);
  s.workloads[0].speedup = 5;
  s.workloads[0].best_ns = 200;
  s.workloads[0].floor_ns = 140;
  s.arms[0].elsewhere = {{"like it", 1, 90, 10}};
  s.arms[1].elsewhere = {{"like it", 1, 6, 10}};
  const Decision d = decide(s);
  CHECK(d.arm.technique == "a");
  CHECK_THAT(d.why,
             Catch::EndsWith("; left out: k/w/slow (at least 15 times the best's time on workloads like this one; "
                             "here the best is at 70 % of its limit)"));
  for (ArmState& each : s.arms) each.elsewhere[0].distance = 3;  // 15 times there may be less here
  CHECK(technique(decide(s)) == "try slow");
  for (ArmState& each : s.arms) each.elsewhere[0].distance = 9;
  CHECK(technique(decide(s)) == "try slow");
  for (ArmState& each : s.arms) each.elsewhere[0].distance = 1;
  s.arms[1].elsewhere[0].best_speedup = 80;  // level there: counting is not believed either
  s.arms[1].predicted_ns = 3000;
  s.arms[1].predicted_points = 2;
  CHECK(technique(decide(s)) == "try slow");
}

TEST_CASE(
    "where the best is far from its limit, an arm that nobody has tried promises more than the tenth of one that "
    "stays") {
  Snapshot s = snapshot({arm("stays", 4, 8, 0.9, 20), arm("new", 1.2, 2, 0.7, 20)});
  evaluate(s.arms[0], {5.0, 4.9, 4.95, 4.9, 4.92, 4.97, 4.91, 4.93, 4.9});
  s.arms[0].log_evaluation_mean = std::log(6.0);
  s.workloads[0].speedup = 5;
  s.arms[1].earlier_evaluations = 1;  // so no first look is owed: an earlier campaign had one failure
  add_techniques(s);
  const auto promise = [&](const char* floor) {
    s.workloads[0].floor_ns = std::atof(floor);
    for (const json& row : decide(s).table)
      if (row["arm"] == "k/w/new") return row["gain"].get<double>();
    return 0.0;
  };
  CHECK(promise("46") > promise("180") * 1.5);  // at 23 %, at 90 % of it
}

TEST_CASE("what counting predicts for a workload stands beside what others showed, each by how well it has done") {
  Snapshot s = snapshot({arm("square", 2, 4, 0.8, 20), arm("decode", 2, 4, 0.8, 20), arm("other", 2, 4, 0.8, 20)});
  s.arms[0].elsewhere = {{"long", 3, 90, 10}};
  s.arms[1].elsewhere = {{"long", 3, 20, 10}};
  s.arms[2].elsewhere = {{"long", 3, 40, 10}};
  CHECK(technique(decide(s)) == "try square");
  const double predicted[] = {500, 100, 400};
  for (std::size_t i = 0; i < 3; ++i) {
    s.arms[i].predicted_ns = predicted[i];
    s.arms[i].predicted_points = 2;
  }
  CHECK(technique(decide(s)) == "try decode");
  // Where what was counted has erred and the other workloads have not, these are believed.
  const auto more = [&](const char* name, double elsewhere, double counted, double seen) {
    ArmState each = arm(name, 2, 4, 0.8, 20);
    each.elsewhere = {{"long", 3, elsewhere, 10}};
    each.predicted_ns = counted;
    each.predicted_points = 2;
    evaluate(each, {seen});
    s.arms.push_back(each);
  };
  more("p", 60, 3000, 3.0);
  more("q", 30, 80, 1.5);
  more("r", 10, 30, 0.5);
  s.workloads[0].speedup = 3;
  add_techniques(s);
  CHECK(technique(decide(s)) == "try square");
}

TEST_CASE("after ten evaluations without a gain another arm of the workload has one") {
  Snapshot s = snapshot({arm("a", 4, 8, 0.9, 20), arm("b", 3, 6, 0.8, 20)});
  evaluate(s.arms[0], {3.0, 5.0});
  evaluate(s.arms[1], {4.0, 4.4, 4.2});
  s.workloads[0].speedup = 5;
  for (ArmState& each : s.arms) each.log_evaluation_mean = std::log(6.0);
  add_techniques(s);
  REQUIRE(technique(decide(s)) == "try a");
  s.arms[0].since_improvement = 10;
  s.current = s.arms[0].id;
  const Decision d = decide(s);
  CHECK(d.arm.technique == "b");
  CHECK(d.why == "a has gained nothing in 10 evaluations");
  s.current = s.arms[1].id;  // which has had it
  CHECK(technique(decide(s)) == "try a");
}

TEST_CASE("an arm of many evaluations waits for those that came as far with few") {
  Snapshot s = snapshot({arm("often", 4, 8, 0.9, 20), arm("near", 3, 6, 0.8, 20), arm("far", 3, 6, 0.8, 20)});
  std::vector<double> rising;
  for (int i = 0; i < 24; ++i) rising.push_back(3 + 0.05 * i);
  evaluate(s.arms[0], rising);
  evaluate(s.arms[1], {3.5, 3.6, 3.55, 3.58});
  evaluate(s.arms[2], {1.5, 1.6, 1.55, 1.58});
  s.workloads[0].speedup = rising.back();
  for (ArmState& each : s.arms) each.log_evaluation_mean = std::log(6.0);
  add_techniques(s);
  CHECK(technique(decide(s)) == "try near");
  s.arms[1].log_evaluation_mean = std::log(60.0);  // not at ten times the price
  CHECK(technique(decide(s)) == "try often");
  s.arms[1].log_evaluation_mean = std::log(6.0);
  s.arms[1].space_points = 4;  // all of it was evaluated
  CHECK(technique(decide(s)) == "try often");
  s.arms[1].space_points = 1000;
  s.arms[1].evaluations = 24;
  add_techniques(s);
  CHECK(technique(decide(s)) == "try often");
}

TEST_CASE(
    "what an earlier campaign confirmed is found again at once, and what is left beyond it is what its evaluations "
    "left") {
  Snapshot s = snapshot({arm("known", 2, 8, 0.9, 20), arm("fresh", 2, 8, 0.9, 20)});
  s.arms[1].id.workload = "new";
  s.workloads.push_back(s.workloads[0]);
  s.workloads[1].workload = "new";
  s.arms[0].earlier_evaluations = s.arms[0].earlier_passed = 200;
  s.arms[0].earlier_best_speedup = 5;
  add_techniques(s);
  const auto gain = [&](const char* name) {
    for (const json& row : decide(s).table)
      if (row["arm"] == name) return row["gain"].get<double>() / row["evaluations"].get<double>();
    return -1.0;
  };
  CHECK(gain("k/w/known") > 1);  // 5x in one evaluation
  evaluate(s.arms[0], {4.97});
  evaluate(s.arms[1], {2.0});
  s.workloads[0].speedup = 4.97;
  s.workloads[1].speedup = 2;
  add_techniques(s);
  CHECK(technique(decide(s)) == "try fresh");
  CHECK(gain("k/w/known") < gain("k/new/fresh") / 20);
}

TEST_CASE("slow configurations make no arm look promising") {
  Snapshot s = snapshot({arm("steady", 1.5, 4, 0.9, 20), arm("wild", 1.5, 4, 0.9, 20)});
  evaluate(s.arms[0], {2.0, 1.9, 2.05, 1.95, 2.1, 1.98});
  evaluate(s.arms[1], {0.1, 1.2, 0.3, 1.25, 0.05, 1.22});  // a spread of 1.5 in ln(speedup), and never near the best
  s.workloads[0].speedup = 2.1;
  for (ArmState& each : s.arms) each.log_evaluation_mean = std::log(6.0);
  const Decision d = decide(s);
  CHECK(d.arm.technique == "steady");
  REQUIRE(d.table[1]["arm"] == "k/w/wild");
  CHECK(d.table[1]["score"].get<double>() < d.table[0]["score"].get<double>() / 2);
}

TEST_CASE("configurations that repeat machine code lower what an arm promises") {
  Snapshot s = snapshot({arm("inert", 1.5, 4, 0.9, 20), arm("other", 1.5, 4, 0.9, 20)});
  for (ArmState& each : s.arms) evaluate(each, {1.5, 1.6});
  s.arms[0].best_speedup = s.arms[0].gains[1] = 1.61;
  s.workloads[0].speedup = 1.61;
  CHECK(technique(decide(s)) == "try inert");
  s.arms[0].evaluations += 8;
  s.arms[0].outcomes["no_effect"] = s.arms[0].same_code = 8;
  CHECK(technique(decide(s)) == "try other");
}

TEST_CASE("a workload's slow baseline and a technique's success add up where an arm is new") {
  // Speedups of campaign `from_nothing`: what was seen at 128 and, of other techniques, at 512 queries.
  Snapshot s = snapshot({arm("wgmma", 100, 400, 0.7, 30), arm("decode", 50, 400, 0.7, 30),
                         arm("split-kv", 50, 400, 0.7, 30), arm("tiny-cluster", 50, 500, 0.8, 40),
                         arm("wgmma", 200, 1500, 0.7, 30), arm("decode", 50, 400, 0.7, 30),
                         arm("split-kv", 50, 400, 0.7, 30), arm("tiny-cluster", 50, 500, 0.8, 40)});
  WorkloadState longer = s.workloads[0];
  longer.workload = "s512";
  s.workloads.push_back(longer);
  for (std::size_t i = 4; i < 8; ++i) s.arms[i].id.workload = "s512";
  const double seen[] = {202, 237, 204, 320, 489, 596, 520};
  for (std::size_t i = 0; i < 7; ++i) evaluate(s.arms[i], {seen[i]});
  s.workloads[0].speedup = 320;
  s.workloads[1].speedup = 596;
  add_techniques(s);
  const Decision d = decide(s);
  CHECK(d.arm == ArmId{"k", "s512", "tiny-cluster"});
  CHECK(d.predict.speedup_lo < 700);
  CHECK(d.predict.speedup_hi > 898);
}

TEST_CASE("a page of the playbook never lowers what it recommends") {
  const Folder pages;
  pages.write("1-one.md",
              "# 1 One\n\nWhat to do.\n\n## When it applies\n```lua\n"
              "return pattern { id = 1, name = 'one', techniques = { 'a' }, expect = { speedup = { 1.02, 1.05 } },\n"
              "when = function(_, profile) return profile.techniques.a and 'it is there' or nil end,\n"
              "applies_in = { arms = { { technique = 'a' } } }, silent_in = {} }\n```\n"
              "## What to do\n## What to expect\n## How it fails\n## Source\n");
  Snapshot s = snapshot({arm("a", 2, 8, 0.6, 20), arm("b", 2, 8, 0.6, 20)});
  const Decision without = script::Library({kShipped}).strategy("roi")->decide(s);
  const Decision with = script::Library({kShipped}, {}, {pages.path()}).strategy("roi")->decide(s);
  CHECK(with.arm.technique == "a");
  CHECK(with.patterns == std::vector<std::int64_t>{1});
  CHECK(*with.predict.probability > *without.predict.probability);
  CHECK(with.predict.speedup_hi >= without.predict.speedup_hi * 0.999);
  CHECK(with.table[0]["score"].get<double>() > without.table[0]["score"].get<double>());
}

TEST_CASE("the minutes in a pivot's words are minutes, whatever rules charge an arm") {
  ArmState split = arm("split-kv", 2, 8, 0.9, 30);
  split.multi_kernel = true;  // start-simple triples its cost
  const Decision d = decide(snapshot({arm("slow", 1, 1.01, 0.1, 10), split}));
  REQUIRE(d.arm.technique == "split-kv");
  const double minutes = d.table[0]["minutes"].get<double>() / d.table[0]["evaluations"].get<double>();
  CHECK(minutes >= *d.predict.minutes_lo);
  CHECK(minutes <= *d.predict.minutes_hi);
}

TEST_CASE("an arm whose candidates are abandoned as slower is left, whatever its manifest promises") {
  Snapshot s = snapshot({arm("a", 50, 500, 0.9, 20), arm("b", 2, 6, 0.8, 20)});
  s.workloads[0].speedup = 4;
  s.arms[0].space_points = s.arms[1].space_points = 1000;
  CHECK(technique(decide(s)) == "try a");
  ArmState& slow = s.arms[0];
  for (int i = 0; i < 6; ++i) slow.gains.push_back(0.8 + 0.01 * i);
  slow.timed = slow.evaluations = slow.outcomes["abandoned"] = slow.since_improvement = 6;
  slow.log_gain_mean = std::log(0.82);
  slow.log_gain_sd = 0.03;
  slow.log_evaluation_mean = std::log(0.5);  // they are cheap, too
  CHECK(technique(decide(s)) == "try b");
}

TEST_CASE("an evaluation is expected to cost what others on its workload did") {
  Snapshot s = snapshot({arm("a", 2, 4, 0.8, 20), arm("b", 2, 4, 0.8, 20)});
  s.arms[1].id.workload = "long";
  WorkloadState other = s.workloads[0];
  other.workload = "long";
  s.workloads.push_back(other);
  ArmState known = s.arms[1];
  known.id.technique = "known";
  evaluate(known, {1.0});
  known.log_evaluation_mean = std::log(600.0);
  s.arms.push_back(known);
  add_techniques(s);
  const Decision d = decide(s);
  CHECK(d.arm == ArmId{"k", "w", "a"});
}

TEST_CASE("money decides where it is the scarcer of the two") {
  ArmState cheap = arm("cheap", 1.5, 3, 0.8, 20), dear = arm("dear", 2, 4, 0.8, 20);
  dear.evaluations = cheap.evaluations = 1;
  dear.outcomes["compile_error"] = cheap.outcomes["compile_error"] = 1;
  dear.agent_usd = 0.5;  // proposals cost half a dollar each
  Snapshot s = snapshot({cheap, dear});
  s.usd_per_hour = 3.6;
  s.spent_usd = 1;
  s.spent_s = 100;
  CHECK(technique(decide(s)) == "try dear");
  s.max_cost_usd = 2;  // half of the money is gone, a twentieth of the time
  CHECK(technique(decide(s)) == "try cheap");
}

TEST_CASE("roi stops when nothing is left to try, or nothing is expected to pay") {
  Snapshot s = snapshot({arm("a", 1.1, 1.2, 0.8, 10)});
  s.arms[0].exhausted = true;
  CHECK(decide(s).reason == EndReason::exhausted);
  s.arms[0].exhausted = false;
  evaluate(s.arms[0], std::vector<double>(400, 1.2));
  s.workloads[0].speedup = 1.2;
  const Decision d = decide(s);
  CHECK(d.action == Action::stop);
  CHECK(d.reason == EndReason::strategy);
}

TEST_CASE("every arm is tried before roi gives up on it") {
  Snapshot s = snapshot({arm("a", 2, 4, 0.8, 20), arm("doubtful", 1.0, 1.01, 0.2, 20)});
  s.workloads[0].speedup = 4;
  s.arms[0].closed = true;
  CHECK(technique(decide(s)) == "try doubtful");
}

TEST_CASE("exhaustive goes through the arms in order, baselines first, and ends when all are exhausted") {
  ArmState baseline = arm("naive", 1, 1, 1, 1);
  baseline.baseline = true;
  Snapshot s = snapshot({arm("a", 1, 2, 0.8, 20), baseline, arm("b", 9, 20, 0.8, 20)});
  CHECK(technique(decide(s, "exhaustive")) == "try naive");
  s.arms[1].exhausted = true;
  CHECK(technique(decide(s, "exhaustive")) == "try a");
  s.arms[0].exhausted = true;
  CHECK(technique(decide(s, "exhaustive")) == "try b");
  s.arms[2].closed = true;
  CHECK(decide(s, "exhaustive").reason == EndReason::exhausted);
}

namespace {

/// One arm of six evaluations, 6 s each, and a proposer.
Snapshot with_proposer() {
  Snapshot s = snapshot({arm("a", 1.0, 1.2, 0.9, 20)});
  evaluate(s.arms[0], {1.0, 1.05, 1.05, 1.05, 1.05, 1.05});
  add_techniques(s);
  s.evaluation_s = 6;
  s.workloads[0].speedup = 1.05;
  s.workloads[0].best_variant = "10_a";
  s.workloads[0].best_technique = "a";
  s.proposer = ProposerState{};
  s.proposer->most_under_way = 4;
  return s;
}

/// Whether the library of proposals would ask where the best arm promises `score` for a minute, or for a dollar.
bool asks(const Snapshot& s, double score, bool by_money = false) {
  const Folder folder;
  folder.write("one.lua",
               "local proposals = use('lib/proposals')\n"
               "return strategy { decide = function(campaign)\n"
               "return proposals.consider(campaign, " +
                   std::to_string(score) + ", nil, " + (by_money ? "true" : "false") +
                   ") or { action = 'try', arm = campaign.open[1], why = 'no' } end }");
  return folder.library().strategy("one")->decide(s).action == Action::propose;
}

}  // namespace

TEST_CASE("a proposal is priced by its proposer's record, here and in earlier campaigns") {
  Snapshot s = with_proposer();  // a third of 0.25 in three evaluations, which are 0.3 min: 0.28 a minute
  CHECK(asks(s, 0.2));
  CHECK(!asks(s, 0.3));
  s.proposer->asked = 200;  // and none became a best
  CHECK(!asks(s, 0.2));
  s.proposer->asked = 0;
  s.proposer->earlier_asked = 400;  // which count half
  CHECK(!asks(s, 0.2));
  s.proposer->earlier_improved = 200;
  s.proposer->earlier_log_gain = 0.5;
  CHECK(asks(s, 0.2));
}

TEST_CASE("so many requests are under way as the device could evaluate the answers of meanwhile") {
  Snapshot s = with_proposer();
  const auto with = [&](std::int64_t under_way, double latency_s) {
    s.proposer->asked = s.proposer->under_way = under_way;
    s.proposer->latency_s = latency_s;
    return asks(s, 0.2);
  };
  CHECK(!with(1, 10));  // less than the evaluations of one proposal
  CHECK(with(1, 40));   // two further ones
  CHECK(!with(3, 40));
  CHECK(with(3, 4000));
  CHECK(!with(4, 4000));  // as many as are allowed
}

TEST_CASE("proposals begin with the best in turn with others of a beam that come near it") {
  Snapshot s =
      snapshot({arm("a", 1, 4, 0.9, 20), arm("b", 1, 4, 0.9, 20), arm("c", 1, 4, 0.9, 20), arm("d", 1, 4, 0.9, 20)});
  const double speedups[] = {4, 3, 2.5, 1.2};
  for (std::size_t i = 0; i < 4; ++i) {
    evaluate(s.arms[i], {speedups[i]});
    s.arms[i].exhausted = true;
  }
  add_techniques(s);
  s.workloads[0].speedup = 4;
  s.workloads[0].best_variant = "10_a";
  s.workloads[0].best_technique = "a";
  s.proposer = ProposerState{};
  const auto parents = [&](std::int64_t asked) {
    s.proposer->asked = asked;
    const Decision d = decide(s);
    REQUIRE(d.action == Action::propose);
    return d.parents;
  };
  using Names = std::vector<std::string>;
  const auto of = [&](std::size_t i) { return s.arms[i].variants.front(); };
  CHECK(parents(0) == Names{"10_a"});
  CHECK(parents(1) == Names{"10_a", of(1), of(2)});
  CHECK(parents(2) == Names{of(1), "10_a"});
  CHECK(parents(3) == Names{"10_a"});
  CHECK(parents(5) == Names{of(2), "10_a"});
  CHECK(parents(8) == Names{of(1), "10_a"});  // d is too far behind
  s.arms[3].proposal = 7;
  s.arms[3].best_speedup.reset();
  s.arms[3].last_fingerprint = "rows >= 64";
  CHECK(parents(2).front() == of(3));
}

TEST_CASE("where money is short a proposal is held against an arm by dollars, the request's among them") {
  Snapshot s = with_proposer();
  s.usd_per_hour = 3.6;  // 0.018 for the evaluations
  s.proposer->usd_each = 0.0001;
  CHECK(asks(s, 4, true));
  s.proposer->usd_each = 10;
  CHECK(!asks(s, 4, true));
}

namespace {

/// A proposer of known worth.
struct Worth {
  std::string name;
  double chance, gain, usd;
  double rate() const { return chance * gain / usd; }
};

struct Brought {
  double log_gain = 0, on_best = 0;  // and the share of the money's second half that the best of them had
};

/// What asking by the library of proposals brings for so many dollars.
Brought brought(const std::vector<Worth>& worths, double budget, unsigned seed) {
  const Folder folder;
  folder.write("one.lua",
               "local proposals = use('lib/proposals')\n"
               "return strategy { decide = function(campaign) return proposals.consider(campaign) end }");
  const auto strategy = folder.library().strategy("one");
  std::mt19937 random(seed);
  Snapshot s = with_proposer();
  for (const Worth& each : worths) {
    s.proposers.emplace_back().name = each.name;
    s.proposers.back().likely_usd = each.usd;
  }
  const auto best = std::ranges::max_element(worths, {}, &Worth::rate);
  Brought result;
  double spent = 0, late = 0, late_on_best = 0;
  while (spent < budget) {
    const std::string asked = strategy->decide(s).proposer;
    const auto at = std::ranges::find(worths, asked, &Worth::name);
    REQUIRE(at != worths.end());
    spent += at->usd;
    if (spent > budget / 2) late += at->usd, late_on_best += at == best ? at->usd : 0;
    const bool wins = std::bernoulli_distribution(at->chance)(random);
    for (ProposerState* const state : {&*s.proposer, &s.proposers[static_cast<std::size_t>(at - worths.begin())]}) {
      ++state->asked;
      if (!wins) continue;
      state->log_gain = (state->log_gain.value_or(0) * static_cast<double>(state->improved) + at->gain) /
                        static_cast<double>(state->improved + 1);
      ++state->improved;
    }
    if (wins) result.log_gain += at->gain;
  }
  result.on_best = late_on_best / late;
  return result;
}

/// The mean over seeds, as a share of what the best of them alone brings.
Brought mean_of(const std::vector<Worth>& worths, double budget, unsigned seeds) {
  Brought sum;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    const Brought one = brought(worths, budget, seed);
    sum.log_gain += one.log_gain / seeds;
    sum.on_best += one.on_best / seeds;
  }
  sum.log_gain /= budget * std::ranges::max_element(worths, {}, &Worth::rate)->rate();
  return sum;
}

}  // namespace

TEST_CASE("of several proposers the one that brings most for a dollar is asked most") {
  const Brought cheap = mean_of({{"dear", 0.5, 0.25, 5}, {"cheap", 0.3, 0.25, 1}}, 30, 3);
  CHECK(cheap.on_best > 0.9);
  const Brought good = mean_of({{"idle", 0, 0.25, 1}, {"good", 0.5, 0.25, 1}}, 30, 4);
  CHECK(good.on_best > 0.8);
}

TEST_CASE("a proposer whose price is unknown is taken to cost what the others cost, and one that is silenced is left") {
  Snapshot s = with_proposer();
  s.proposers = {{.name = "a"}, {.name = "b"}};
  const auto asked = [&] {
    const Folder folder;
    folder.write("one.lua",
                 "local proposals = use('lib/proposals')\n"
                 "return strategy { rules = { 'rules/stop-asking' }, decide = function(campaign)\n"
                 "return proposals.consider(campaign) or { action = 'try', arm = campaign.open[1], why = 'no' } end }");
    return folder.library().strategy("one")->decide(s).proposer;
  };
  CHECK(asked() == "a");
  s.proposers[0].likely_usd = 0.1;
  s.proposers[1].improved = s.proposers[1].asked = 2;
  s.proposers[1].log_gain = 0.5;
  CHECK(asked() == "b");
  s.proposers[1].failed_in_a_row = 3;
  CHECK(asked() == "a");
  s.proposers[0].ready = false;
  CHECK(asked().empty());
}

TEST_CASE("roi says at its end why nothing is proposed any more") {
  Snapshot s = with_proposer();
  s.arms[0].exhausted = true;
  s.proposer->failed_in_a_row = 3;
  const Decision d = decide(s);
  CHECK(d.action == Action::stop);
}
