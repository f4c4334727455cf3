#include <catch2/catch.hpp>

#include "harness/script/strategy/strategy.h"
#include "tests/script/strategy_fixture.h"

using namespace harness;
using namespace harness::script::fixture;

// Every shipped rule with a campaign in which it fires and one, just beside, in which it does not.
namespace {

/// A strategy that obeys this rule alone and else takes the first open arm; its table has the arms' cost factors.
Decision with_rule(const std::string& entry, Snapshot s) {
  const Folder folder;
  folder.write("one.lua", "return strategy { rules = { " + entry +
                              " }, decide = function(campaign)\n"
                              "local t = {} for i, a in ipairs(campaign.arms) do t[i] = a.cost_factor end\n"
                              "return { action = 'try', arm = campaign.open[1], why = 'next', table = t } end }");
  add_techniques(s);
  return folder.library().strategy("one")->decide(s);
}

std::string fired(const std::string& rule, const Snapshot& s, const std::string& options = "") {
  const Decision d = with_rule("{ 'rules/" + rule + "', options = {" + options + "} }", s);
  return d.rule ? std::string(name(d.action)) + " " + d.arm.technique : "";
}

double factor(const std::string& rule, const Snapshot& s, std::size_t arm, const std::string& options = "") {
  return with_rule("{ 'rules/" + rule + "', options = {" + options + "} }", s).table.at(arm);
}

/// An arm at work, "now", and another that is open, "next"; the first 60 s predicted.
Snapshot two() {
  Snapshot s = snapshot({arm("now", 1, 2, 0.8, 10), arm("next", 1, 2, 0.8, 10)});
  s.current = s.arms[0].id;
  return s;
}

Sitting sitting(const Snapshot& s, double spent_s, double predicted_s) {
  Sitting sat;
  sat.arm = *s.current;
  sat.spent_s = spent_s;
  sat.predicted_s = predicted_s;
  return sat;
}

}  // namespace

TEST_CASE("time-overrun closes an arm at twice its predicted time when nothing passed, earlier campaigns included") {
  Snapshot s = two();
  evaluate(s.arms[0], {}, 19);
  CHECK(fired("time-overrun", s).empty());
  s.arms[0].earlier_spent_s = 6;
  s.arms[0].earlier_evaluations = 1;
  CHECK(fired("time-overrun", s) == "close now");
  CHECK(fired("time-overrun", s, "factor = 3").empty());
  const Decision d = with_rule("'rules/time-overrun'", s);
  CHECK(d.why == "k/w/now has used 2.0 min of 1.0 predicted and nothing passed");
  CHECK(d.rule_numbers["spent_min"] == 2.0);
  CHECK(d.rule_numbers["predicted_min"] == 1.0);
  CHECK(d.patterns == std::vector<std::int64_t>{17});
  s.arms[0].earlier_passed = 1;
  CHECK(fired("time-overrun", s).empty());
  s.arms[0].earlier_passed = 0;
  s.arms[0].predicted_s.reset();  // unknown is no overrun
  CHECK(fired("time-overrun", s).empty());
}

TEST_CASE("time-overrun leaves an arm whose sitting took twice what was predicted and brought nothing") {
  Snapshot s = two();
  evaluate(s.arms[0], {1.5});
  s.sitting = sitting(s, 29 * 60, 15 * 60);
  CHECK(fired("time-overrun", s).empty());
  s.sitting = sitting(s, 30 * 60, 15 * 60);
  CHECK(fired("time-overrun", s) == "try next");
  s.sitting->improvements = 1;
  CHECK(fired("time-overrun", s).empty());
  s.sitting->improvements = 0;
  s.sitting->predicted_s.reset();
  CHECK(fired("time-overrun", s).empty());
}

TEST_CASE("technique-budget adds up over workloads and campaigns what no single sitting shows") {
  Snapshot s = two();
  evaluate(s.arms[0], {}, 2);
  s.arms[0].earlier_spent_s = 107;  // 119 of 120 s
  CHECK(fired("technique-budget", s).empty());
  s.arms[0].earlier_spent_s = 108;
  CHECK(fired("technique-budget", s) == "close now");
  CHECK(fired("technique-budget", s, "factor = 2.5").empty());
  s.current.reset();  // it need not be at work
  CHECK(fired("technique-budget", s) == "close now");
  CHECK(fired("technique-budget", s, "trials = 3").empty());
  evaluate(s.arms[0], {1.5});  // it pays
  CHECK(fired("technique-budget", s).empty());
}

TEST_CASE("cost-overrun counts dollars, proposals included, and says nothing without a price") {
  Snapshot s = two();
  evaluate(s.arms[0], {}, 2);
  CHECK(fired("cost-overrun", s).empty());
  s.arms[0].spent_usd = 0.2;
  s.arms[0].agent_usd = 0.79;
  CHECK(fired("cost-overrun", s).empty());
  s.arms[0].agent_usd = 0.80;
  CHECK(fired("cost-overrun", s) == "close now");
  s.arms[0].predicted_usd = 0.6;  // twice that is more than a dollar
  CHECK(fired("cost-overrun", s).empty());
  s.arms[0].predicted_usd = 0.5;
  evaluate(s.arms[0], {1.1});
  CHECK(fired("cost-overrun", s).empty());
}

namespace {

/// Why the rule lets nobody be asked; "": it says nothing.
std::string silenced(const Snapshot& s, const std::string& options = "") {
  const Folder folder;
  folder.write("one.lua", "return strategy { rules = { { 'rules/stop-asking', options = {" + options +
                              "} } }, decide = function(campaign)\n"
                              "return { action = 'try', arm = campaign.open[1],\n"
                              "why = campaign.proposer.silenced or 'may ask' } end }");
  const std::string why = folder.library().strategy("one")->decide(s).why;
  return why == "may ask" ? "" : why;
}

}  // namespace

TEST_CASE(
    "stop-asking silences the proposer after stagnation, without replies, at the floor and near the budget's end") {
  Snapshot s = two();
  s.proposer = ProposerState{};
  s.proposer->most_under_way = 4;
  s.evaluation_s = 6;
  CHECK(silenced(s).empty());
  s.proposer->since_improvement = 5;
  CHECK(silenced(s).empty());
  s.proposer->under_way = 1;  // the sixth
  CHECK_THAT(silenced(s), Catch::Contains("5 proposals in a row brought no new best"));
  CHECK(silenced(s, "stagnant = 7").empty());
  s.proposer->since_improvement = 0;
  s.proposer->failed_in_a_row = 3;
  CHECK_THAT(silenced(s), Catch::Contains("3 requests in a row brought no reply"));
  s.proposer->failed_in_a_row = 0;
  s.workloads[0].of_floor = 0.91;
  CHECK_THAT(silenced(s), Catch::Contains("90 % of its limit"));
  s.workloads[0].of_floor = 0.89;
  CHECK(silenced(s).empty());
  s.budget_s = 100;
  s.spent_s = 60;
  s.proposer->latency_s = 20;
  s.proposer->under_way = 0;
  CHECK(silenced(s).empty());  // 40 s are left, 32 are needed
  s.proposer->under_way = 2;   // and their evaluations
  CHECK_THAT(silenced(s), Catch::Contains("40 s are left, and a further proposal needs 44 s"));
  s.proposer->ready = false;
  CHECK_THAT(silenced(s), Catch::Contains("answers no more"));
}

TEST_CASE("a strategy that asks although a rule has silenced the proposer is told so") {
  Snapshot s = two();
  s.proposer = ProposerState{};
  s.proposer->failed_in_a_row = 3;
  const Folder folder;
  folder.write("one.lua",
               "return strategy { rules = { 'rules/stop-asking' }, decide = function(campaign)\n"
               "return { action = 'propose', arm = campaign.open[1], why = 'more' } end }");
  CHECK_THROWS_WITH(folder.library().strategy("one")->decide(s),
                    Catch::Contains("3 requests in a row brought no reply"));
}

TEST_CASE("correctness-stuck leaves an arm with the same wrong answer again and again") {
  Snapshot s = two();
  evaluate(s.arms[0], {}, 4);
  s.arms[0].last_fingerprint = "rows >= 64, ratio 0.675";
  s.arms[0].same_fingerprint = 3;
  CHECK(fired("correctness-stuck", s).empty());
  s.arms[0].same_fingerprint = 4;
  CHECK(fired("correctness-stuck", s) == "close now");
  evaluate(s.arms[0], {1.2});  // some configurations are right: another arm first
  s.arms[0].same_fingerprint = 4;
  CHECK(fired("correctness-stuck", s) == "try next");
}

TEST_CASE("parallelism-first asks for four CTAs a multiprocessor before the kernel is tuned") {
  Snapshot s = two();
  s.multiprocessors = 58;
  evaluate(s.arms[0], {1.1, 1.2, 1.3, 1.25});
  s.arms[0].launch = LaunchShape{1, 231, 128, 0};
  CHECK(fired("parallelism-first", s).empty());  // how wide another would be is not known
  evaluate(s.arms[1], {1.1});
  s.arms[1].launch = LaunchShape{1, 300, 128, 0};
  CHECK(fired("parallelism-first", s) == "try next");
  CHECK(with_rule("'rules/parallelism-first'", s).rule_numbers["ctas"] == 231);
  CHECK(with_rule("'rules/parallelism-first'", s).rule_numbers["wider_ctas"] == 300);
  CHECK(factor("parallelism-first", s, 0) == 2);
  s.arms[0].launch->ctas = 232;
  CHECK(fired("parallelism-first", s).empty());
  CHECK(factor("parallelism-first", s, 0) == 1);
  s.arms[0].launch->ctas = 2;
  s.arms[1].launch->ctas = 2;  // no wider arm is left
  CHECK(fired("parallelism-first", s).empty());
  s.arms[1].launch->ctas = 1000;
  CHECK(fired("parallelism-first", s) == "try next");
  Snapshot faster = s, far = s;
  evaluate(far.arms[0], {2.5});
  CHECK(fired("parallelism-first", far).empty());  // one try showed it far slower
  evaluate(s.arms[1], {1.15, 1.2, 1.25});          // the wider one has had its four tries and is no faster
  CHECK(fired("parallelism-first", s).empty());
  CHECK(factor("parallelism-first", s, 0) == 1);
  evaluate(faster.arms[1], {1.15, 1.2, 1.35});
  CHECK(fired("parallelism-first", faster) == "try next");
  s = faster;
  s.multiprocessors.reset();  // an emulated device has none
  CHECK(fired("parallelism-first", s).empty());
}

TEST_CASE("parallelism-first leads to the arm that it names, not to another workload's") {
  Snapshot s = snapshot({arm("elsewhere", 1, 2, 0.8, 10), arm("now", 1, 2, 0.8, 10), arm("wide", 1, 2, 0.8, 10)});
  s.arms[0].id.workload = "other";
  WorkloadState other = s.workloads[0];
  other.workload = "other";
  s.workloads.push_back(other);
  s.current = s.arms[1].id;
  s.multiprocessors = 58;
  evaluate(s.arms[0], {1.5});
  evaluate(s.arms[1], {1.1, 1.2, 1.3, 1.25});
  evaluate(s.arms[2], {1.1});
  s.arms[0].launch = s.arms[2].launch = LaunchShape{1, 1000, 128, 0};
  s.arms[1].launch = LaunchShape{1, 2, 128, 0};
  CHECK(fired("parallelism-first", s) == "try wide");  // though the first open arm is another
}

TEST_CASE("a pivot that the strategy answers with a stop is passed over") {
  const Folder folder;
  folder.write("one.lua",
               "local leave = rule { name = 'leave', effect = 'pivot', when = function() return 'enough of it' end }\n"
               "return strategy { rules = { leave }, decide = function(campaign)\n"
               "  for _, arm in ipairs(campaign.open) do\n"
               "    if arm.technique == 'now' then return { action = 'try', arm = arm, why = 'it pays' } end\n"
               "  end\n"
               "  return { action = 'stop', why = 'nothing pays' } end }");
  Snapshot s = two();
  evaluate(s.arms[0], {1.1});
  const Decision d = folder.library().strategy("one")->decide(s);
  CHECK(d.arm.technique == "now");
  CHECK_FALSE(d.rule);
}

TEST_CASE("repeats closes an arm whose configurations are all machine code that was measured") {
  Snapshot s = two();
  evaluate(s.arms[0], {1.1, 1.2, 1.3, 1.25});
  const auto repeat = [&](int times) {
    s.arms[0].evaluations += times;
    s.arms[0].outcomes["no_effect"] += times;
    s.arms[0].same_code += times;
  };
  repeat(15);
  CHECK(fired("repeats", s).empty());
  repeat(1);
  CHECK(fired("repeats", s) == "close now");
  s.arms[0].same_code = 0;  // the last one was new
  CHECK(fired("repeats", s).empty());
}

TEST_CASE("gains-below leaves an arm whose last improvements were small") {
  Snapshot s = two();
  evaluate(s.arms[0], {1.0, 1.5, 1.6, 1.7, 1.8});
  CHECK(fired("gains-below", s) == "try next");
  CHECK(fired("gains-below", s, "fixes = 4").empty());  // the first brought 50 %
  s = two();
  evaluate(s.arms[0], {1.0, 1.1, 1.2, 1.45});
  CHECK(fired("gains-below", s).empty());
  CHECK(fired("gains-below", s, "share = 0.21") == "try next");
}

TEST_CASE("plateau leaves an arm that has not improved by more than the noise") {
  Snapshot s = two();
  evaluate(s.arms[0], {1.5});
  evaluate(s.arms[0], std::vector<double>(11, 1.4));
  CHECK(fired("plateau", s).empty());
  evaluate(s.arms[0], {1.501});  // better, but within the noise
  const Decision d = with_rule("'rules/plateau'", s);
  CHECK(d.rule == "plateau");
  CHECK(d.arm.technique == "next");
  CHECK(d.why == "k/w/now has not improved by more than 2 % in 12 evaluations; next");
  evaluate(s.arms[0], std::vector<double>(12, 1.4));
  CHECK(factor("plateau", s, 0) == Approx(4));
  evaluate(s.arms[0], {1.6});
  CHECK(fired("plateau", s).empty());
}

TEST_CASE("diminishing-confidence is a sequential test: it takes longer where improvement was frequent") {
  Snapshot s = two();
  evaluate(s.arms[0], {1.2});
  evaluate(s.arms[0], std::vector<double>(19, 1.1));
  CHECK(fired("diminishing-confidence", s).empty());
  evaluate(s.arms[0], {1.1});
  CHECK(fired("diminishing-confidence", s) == "try next");
  CHECK(factor("diminishing-confidence", s, 0) > 1);
  CHECK(fired("diminishing-confidence", s, "alive = 0.1").empty());
  // An improvement in between, beyond its interval, is evidence for the arm; one within the noise is none.
  Snapshot improved = two(), noise = two();
  for (Snapshot* each : {&improved, &noise}) {
    evaluate(each->arms[0], {1.2});
    evaluate(each->arms[0], std::vector<double>(15, 1.1));
    evaluate(each->arms[0], {1.3});
    evaluate(each->arms[0], std::vector<double>(10, 1.1));
  }
  noise.arms[0].records[1].credible = false;
  CHECK(fired("diminishing-confidence", improved).empty());
  CHECK(fired("diminishing-confidence", noise) == "try next");
}

TEST_CASE("near-floor closes the arms of a workload that is at its floor, and of no other") {
  Snapshot s = two();
  s.workloads[0].of_floor = 0.94;
  CHECK(fired("near-floor", s).empty());
  s.workloads[0].of_floor = 0.95;
  CHECK(fired("near-floor", s) == "close now");
  s.arms[0].closed = true;
  CHECK(fired("near-floor", s) == "close next");
  s.workloads[0].of_floor.reset();  // unknown on the cpu device
  CHECK(fired("near-floor", s).empty());
  s.workloads[0].of_floor = 0.01;  // of a call that takes no longer than its launch and its first operand
  s.workloads[0].of_limit = 0.96;
  CHECK(fired("near-floor", s) == "close next");
  CHECK(with_rule("'rules/near-floor'", s).why.find("of its limit") != std::string::npos);
  s.workloads[0].of_limit = 0.94;
  CHECK(fired("near-floor", s).empty());
}

TEST_CASE("blocked stops after an hour of evaluations of which none passed") {
  Snapshot s = two();
  s.since_passed_s = 3599;
  CHECK(fired("blocked", s).empty());
  s.since_passed_s = 3600;
  CHECK(fired("blocked", s) == "stop ");
}

TEST_CASE("keep-or-release holds the price of waiting against the cost of coming back") {
  Snapshot s = two();
  s.since_evaluation_s = 12 * 3600;
  CHECK(fired("keep-or-release", s).empty());  // no price
  s.usd_per_hour = 0.20;                       // seed 001: 12 h at $0.20 are $2.40
  CHECK(fired("keep-or-release", s) == "stop ");
  CHECK(fired("keep-or-release", s, "return_usd = 50.0").empty());  // seed 002: an engineer's context
  s.since_evaluation_s = 5 * 3600;                                  // $1.00, and $0.01 to come back on top of a dollar
  CHECK(fired("keep-or-release", s).empty());
  s.wait_s = 6 * 3600;  // known beforehand: decided at once
  CHECK(fired("keep-or-release", s) == "stop ");
  s.emulation = true;
  CHECK(fired("keep-or-release", s).empty());
}

TEST_CASE("regression-guard goes back to the technique of the recorded best while the campaign is behind it") {
  Snapshot s = two();
  evaluate(s.arms[0], std::vector<double>(8, 1.2));
  s.workloads[0].best_ns = 1029;
  s.workloads[0].earlier_best_ns = 1000;
  s.workloads[0].earlier_best_technique = "next";
  CHECK(fired("regression-guard", s).empty());
  s.workloads[0].best_ns = 1031;
  CHECK(fired("regression-guard", s) == "try next");
  CHECK(factor("regression-guard", s, 1) == 0.5);
  CHECK(factor("regression-guard", s, 0) == 1);
  s.workloads[0].earlier_best_technique = "now";  // it is at work already
  CHECK(fired("regression-guard", s).empty());
  s.workloads[0].earlier_best_ns.reset();
  CHECK(fired("regression-guard", s).empty());
}

TEST_CASE("start-simple multiplies the cost of several kernels until a single-kernel arm is done") {
  ArmState split = arm("split-kv", 1, 2, 0.8, 10);
  split.multi_kernel = true;
  ArmState baseline = arm("naive", 1, 1, 1, 1);
  baseline.baseline = baseline.exhausted = true;
  Snapshot s = snapshot({split, arm("tiling", 1, 2, 0.8, 10), baseline});
  CHECK(with_rule("'rules/start-simple'", s).table == parse_json("[3.0,1.0,1.0]"));
  CHECK(with_rule("'rules/start-simple'", s).patterns == std::vector<std::int64_t>{16});
  evaluate(s.arms[1], {1.5});
  CHECK(factor("start-simple", s, 0) == 3.0);
  evaluate(s.arms[1], std::vector<double>(12, 1.4));
  CHECK(factor("start-simple", s, 0) == 1.0);
  CHECK(factor("start-simple", s, 0, "evaluations = 20, factor = 5") == 5.0);
  s.arms[0].earlier_passed = 3;
  CHECK(factor("start-simple", s, 0, "evaluations = 20") == 3.0);
  s.arms[0].earlier_passed = 4;  // it has been built before: nothing is left to foresee
  CHECK(factor("start-simple", s, 0, "evaluations = 20") == 1.0);
}

TEST_CASE("enough stops at the goal or at its share of the floor") {
  Snapshot s = two();
  s.workloads.push_back(s.workloads[0]);
  s.workloads[0].speedup = 2;
  s.workloads[1].speedup = 8;
  s.goal_speedup = 4.5;
  CHECK(fired("enough", s).empty());
  s.goal_speedup = 4;
  const Decision d = with_rule("'rules/enough'", s);
  CHECK(d.action == Action::stop);
  CHECK(d.reason == EndReason::goal);
  CHECK(d.why == "the speedup of 4.00x has reached the goal of 4x");
  s.goal_speedup.reset();
  s.workloads[0].of_floor = 0.96;
  CHECK(fired("enough", s).empty());  // the other floor is not known
  s.workloads[1].of_floor = 0.96;
  CHECK(with_rule("'rules/enough'", s).why == "96 % of the floor is reached, 95 % are enough");
  s.goal_of_floor = 0.99;
  CHECK(fired("enough", s).empty());
  s.workloads[0].of_limit = s.workloads[1].of_limit = 0.995;
  CHECK(fired("enough", s).empty());  // the goal is one of the floor
  s.goal_of_floor.reset();
  s.workloads[0].of_floor = 0.1;
  CHECK(with_rule("'rules/enough'", s).why.find("of the limit is reached, 95 % are enough") != std::string::npos);
}

TEST_CASE("a rule may say what it measured and choose its effect; both are checked") {
  const std::string begin = "rule { name = 'r', effect = 'pivot', when = function() ";
  const auto refusal = [](const std::string& rule) -> std::string {
    try {
      with_rule(rule, two());
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  const Decision d = with_rule(begin + "return 'why', { x = 1 }, 'close' end }", two());
  CHECK(d.action == Action::close);
  CHECK(d.rule_numbers == parse_json("{\"x\":1}"));
  CHECK(refusal(begin + "return 'why', 7 end }").find("the rule 'r' returned a number as its numbers") !=
        std::string::npos);
  CHECK(refusal(begin + "return 'why', nil, 'clsoe' end }").find("did you mean 'close'?") != std::string::npos);
  CHECK(refusal("rule { name = 'r', effect = 'stop', scope = 'open', when = print }").find("so it has no scope") !=
        std::string::npos);
}
