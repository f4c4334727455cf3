#include <catch2/catch.hpp>

#include "harness/script/strategy.h"
#include "tests/script/strategy_fixture.h"

using namespace harness;
using namespace harness::script::fixture;

namespace {

Decision decide(const Snapshot& s, const std::string& strategy = "roi") {
  return script::Library({kShipped}).strategy(strategy)->decide(s);
}

/// roi with a listing of a single rule, to see that rule alone.
Decision with_rule(const std::string& entry, const Snapshot& s) {
  const Folder folder;
  folder.write("one.lua", "return strategy { rules = { " + entry +
                              " }, decide = function(campaign)\n"
                              "local t = {} for i, a in ipairs(campaign.arms) do t[i] = a.cost_factor end\n"
                              "return { action = 'try', arm = campaign.open[1], why = 'next', table = t } end }");
  return folder.library().strategy("one")->decide(s);
}

std::string technique(const Decision& d) {
  return d.action + " " + d.arm.technique;
}

}  // namespace

TEST_CASE("roi begins with each workload's baseline, since speedups need its time") {
  ArmState baseline = arm("naive", 1, 1, 1, 1);
  baseline.baseline = true;
  Snapshot s = snapshot({arm("tiling", 4, 8, 0.9, 10), baseline});
  s.workloads[0].baseline_ns.reset();
  s.workloads[0].speedup.reset();
  CHECK(technique(decide(s)) == "try naive");
  evaluate(s.arms[1], {}, 1);  // it failed: roi does not insist
  CHECK(technique(decide(s)) == "try tiling");
}

TEST_CASE("roi prefers the higher gain per minute") {
  CHECK(technique(decide(snapshot({arm("a", 1.5, 2, 0.8, 20), arm("b", 3, 6, 0.8, 20)}))) == "try b");
  CHECK(technique(decide(snapshot({arm("a", 1.5, 2, 0.8, 5), arm("b", 3, 6, 0.8, 100)}))) == "try a");
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
  CHECK(technique(decide(s)) == "try safe");
  s.arms[0].earlier_passed = 100;
  s.arms[0].earlier_best_speedup = 6;
  CHECK(technique(decide(s)) == "try bold");
}

TEST_CASE("what was gained already is not expected again") {
  Snapshot s = snapshot({arm("a", 2, 4, 0.8, 20), arm("b", 2.5, 5, 0.8, 20)});
  evaluate(s.arms[1], std::vector<double>(20, 1.1));  // b did not keep its promise
  s.workloads[0].speedup = 1.1;
  CHECK(technique(decide(s)) == "try a");
}

TEST_CASE("a kernel of several launches waits until a simple one is done") {
  ArmState split = arm("split-kv", 4, 8, 0.7, 30);
  split.multi_kernel = true;
  Snapshot s = snapshot({arm("tiling", 1.5, 2.5, 0.8, 20), split});
  CHECK(technique(decide(s)) == "try tiling");
  s.arms[0].exhausted = true;
  CHECK(technique(decide(s)) == "try split-kv");
}

TEST_CASE("roi stores the table it chose from and a prediction") {
  Snapshot s = snapshot({arm("a", 2, 4, 0.8, 20), arm("b", 2.5, 5, 0.5, 20)});
  const Decision d = decide(s);
  REQUIRE(d.table.size() == 2);
  CHECK(d.table[0]["arm"] == "k/w/a");
  CHECK(d.table[0]["p"].get<double>() == Approx(0.8));
  CHECK(d.table[0]["gain"].get<double>() == Approx(std::log(std::sqrt(8.0))));
  CHECK(d.table[0]["minutes"].get<double>() == Approx(2.0));
  CHECK(d.table[0]["score"].get<double>() == Approx(0.8 * std::log(std::sqrt(8.0)) / 2.0));
  CHECK(d.predict.speedup_lo == Approx(2));
  CHECK(d.predict.speedup_hi == Approx(4));
  CHECK(d.predict.evaluations == 20);
  CHECK(d.why == "k/w/a promises 182.8 % with probability 0.80 in 2 min");
}

TEST_CASE("roi stops when nothing is left to try, or nothing is expected to pay") {
  Snapshot s = snapshot({arm("a", 1.1, 1.2, 0.8, 10)});
  s.arms[0].exhausted = true;
  CHECK(decide(s).reason == "exhausted");
  s.arms[0].exhausted = false;
  evaluate(s.arms[0], std::vector<double>(400, 1.2));
  s.arms[0].since_improvement = 0;
  s.workloads[0].speedup = 1.2;
  const Decision d = decide(s);
  CHECK(d.action == "stop");
  CHECK(d.reason == "strategy");
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
  CHECK(decide(s, "exhaustive").reason == "exhausted");
}

TEST_CASE("time-overrun closes an arm at twice its predicted time when nothing passed, earlier campaigns included") {
  Snapshot s = snapshot({arm("tiling", 1, 2, 0.8, 10)});  // 60 s predicted
  s.current = s.arms[0].id;
  evaluate(s.arms[0], {}, 20);
  CHECK(with_rule("'rules/time-overrun'", s).action == "try");
  s.arms[0].earlier_spent_s = 6;
  const Decision d = with_rule("'rules/time-overrun'", s);
  CHECK(d.action == "close");
  CHECK(d.rule == "time-overrun");
  CHECK(d.why == "k/w/tiling has used 2.1 min of 1.0 predicted and nothing passed");
  CHECK(with_rule("{ 'rules/time-overrun', options = { factor = 3 } }", s).action == "try");
  s.arms[0].earlier_passed = 1;
  CHECK(with_rule("'rules/time-overrun'", s).action == "try");
}

TEST_CASE("plateau leaves an arm that has not improved by more than the noise") {
  Snapshot s = snapshot({arm("next", 1, 2, 0.8, 10), arm("flat", 1, 2, 0.8, 10)});
  s.current = s.arms[1].id;
  evaluate(s.arms[1], {1.5});
  evaluate(s.arms[1], std::vector<double>(11, 1.4));
  CHECK(!with_rule("'rules/plateau'", s).rule);
  evaluate(s.arms[1], {1.501});  // better, but within the noise
  const Decision d = with_rule("'rules/plateau'", s);
  CHECK(d.rule == "plateau");
  CHECK(d.arm.technique == "next");
  CHECK(d.why == "k/w/flat has not improved by more than 2 % in 12 evaluations; next");
  evaluate(s.arms[1], {1.6});
  CHECK(!with_rule("'rules/plateau'", s).rule);
}

TEST_CASE("start-simple multiplies the cost of several kernels until a single-kernel arm is done") {
  ArmState split = arm("split-kv", 1, 2, 0.8, 10);
  split.multi_kernel = true;
  ArmState baseline = arm("naive", 1, 1, 1, 1);
  baseline.baseline = baseline.exhausted = true;
  Snapshot s = snapshot({split, arm("tiling", 1, 2, 0.8, 10), baseline});
  CHECK(with_rule("'rules/start-simple'", s).table == json::parse("[3.0,1.0,1.0]"));
  evaluate(s.arms[1], {1.5});
  CHECK(with_rule("'rules/start-simple'", s).table[0] == 3.0);
  evaluate(s.arms[1], std::vector<double>(12, 1.4));
  CHECK(with_rule("'rules/start-simple'", s).table[0] == 1.0);
  CHECK(with_rule("{ 'rules/start-simple', options = { evaluations = 20, factor = 5 } }", s).table[0] == 5.0);
}

TEST_CASE("enough stops at the goal or at its share of the floor") {
  Snapshot s = snapshot({arm("tiling", 1, 2, 0.8, 10)});
  s.workloads.push_back(s.workloads[0]);
  s.workloads[0].speedup = 2;
  s.workloads[1].speedup = 8;
  s.goal_speedup = 4.5;
  CHECK(with_rule("'rules/enough'", s).action == "try");
  s.goal_speedup = 4;
  Decision d = with_rule("'rules/enough'", s);
  CHECK(d.action == "stop");
  CHECK(d.reason == "goal");
  CHECK(d.why == "the speedup of 4.00x has reached the goal of 4x");
  s.goal_speedup.reset();
  s.workloads[0].of_floor = 0.96;
  CHECK(with_rule("'rules/enough'", s).action == "try");  // the other floor is not known
  s.workloads[1].of_floor = 0.96;
  CHECK(with_rule("'rules/enough'", s).why == "96 % of the floor is reached, 95 % are enough");
  s.goal_of_floor = 0.99;
  CHECK(with_rule("'rules/enough'", s).action == "try");
}
