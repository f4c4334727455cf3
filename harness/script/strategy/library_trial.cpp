#include "harness/script/strategy/library_trial.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "harness/core/error.h"
#include "harness/script/strategy/library_host.h"
#include "harness/script/strategy/search.h"
#include "harness/script/strategy/strategy.h"

namespace harness::script {
namespace {

constexpr int kMostTrialAsks = 200;

ArmState made_up_arm(const char* workload, const char* technique, double lo, double hi, int evaluations) {
  ArmState arm;
  arm.id = {"softmax", workload, technique};
  arm.variants = {std::string("10_") + technique};
  arm.prior = {lo, hi, 0.8, evaluations};
  arm.risk = "low";
  arm.space_points = 48;
  arm.predicted_s = 3.0 * evaluations;
  return arm;
}

void pass(ArmState& arm, double speedup) {
  ++arm.evaluations;
  ++arm.outcomes["passed"];
  arm.spent_s += 3;
  ++arm.timed;
  arm.gains.push_back(speedup);
  arm.log_gain_mean = std::log(speedup);
  arm.log_evaluation_mean = std::log(3.0);
  if (arm.best_speedup && *arm.best_speedup >= speedup) {
    ++arm.since_improvement;
    return;
  }
  arm.best_speedup = speedup;
  arm.best_ns = 10000 / speedup;
  arm.launch = LaunchShape{1, 64, 128, 0};
  arm.records.push_back({arm.evaluations, speedup, speedup * 0.99, speedup * 1.01, true, arm.spent_s});
}

void fail(ArmState& arm) {
  ++arm.evaluations;
  ++arm.outcomes["wrong_answer"];
  ++arm.since_improvement;
  arm.spent_s += 3;
  arm.last_fingerprint = "rows >= 64, ratio 0.675";
  ++arm.same_fingerprint;
  arm.fingerprints = {{arm.last_fingerprint, arm.same_fingerprint}};
}

void add_sums(Snapshot& s) {
  for (const ArmState& arm : s.arms) {
    TechniqueState all;
    all.kernel = arm.id.kernel;
    all.technique = arm.id.technique;
    all.workloads = all.campaigns = 1;
    all.evaluations = arm.evaluations;
    all.passed = arm.outcomes.contains("passed") ? arm.outcomes.at("passed") : 0;
    all.spent_s = arm.spent_s;
    all.predicted_s = arm.predicted_s;
    all.best_speedup = arm.best_speedup;
    s.techniques.push_back(all);
  }
}

/// A campaign of one kernel on one workload with three arms, before anything was measured.
Snapshot beginning() {
  Snapshot s;
  s.campaign = 1;
  s.device = "cuda:0";
  s.device_name = "made up";
  s.architecture = "sm_90a";
  s.multiprocessors = 132;
  s.now_unix = 1750000000;
  s.now = {s.now_unix, 15, 6, 7, "UTC", 0};
  s.budget_s = 1800;
  s.usd_per_hour = 4;
  s.spent_usd = 0;
  s.reserve_s = 12;
  s.evaluation_s = 3;
  s.arms = {made_up_arm("m4096", "naive", 1, 1, 4), made_up_arm("m4096", "tiling", 1.5, 4, 20),
            made_up_arm("m4096", "split", 2, 6, 40)};
  s.arms[0].baseline = true;
  s.arms[2].multi_kernel = true;
  s.arms[2].risk = "high";
  WorkloadState workload;
  workload.kernel = "softmax";
  workload.workload = "m4096";
  workload.sizes = {{"M", 4096}, {"dtype", "f32"}};
  s.workloads = {workload};
  add_sums(s);
  return s;
}

Snapshot at_work() {
  Snapshot s = beginning();
  s.techniques.clear();
  pass(s.arms[0], 1);
  for (const double speedup : {1.4, 1.9, 1.8, 2.1}) pass(s.arms[1], speedup);
  for (int i = 0; i < 5; ++i) fail(s.arms[2]);
  for (const ArmState& arm : s.arms) s.iterations += arm.evaluations;
  s.arms[2].sittings = 1;
  s.current = s.arms[2].id;
  s.sitting = Sitting{s.arms[2].id, 5, 0, 15, 30, std::nullopt, 0};
  s.spent_s = 40;
  s.spent_usd = 0.05;
  s.since_evaluation_s = 0.1;
  s.build_s = 1;
  s.gates_s = 1;
  s.timing_s = 1;
  s.score = 2.1;
  s.recent_outcomes = {"passed", "wrong_answer"};
  WorkloadState& workload = s.workloads[0];
  workload.baseline_ns = 10000;
  workload.best_ns = 10000 / 2.1;
  workload.speedup = 2.1;
  workload.speedup_lo = 2.08;
  workload.speedup_hi = 2.12;
  workload.floor_ns = 1500;
  workload.of_floor = 0.315;
  workload.best_variant = "10_tiling";
  workload.best_technique = "tiling";
  workload.launch = s.arms[1].launch;
  workload.registers = 64;
  add_sums(s);
  return s;
}

/// Floors, prices and budgets are unknown on a borrowed CPU.
Snapshot emulated() {
  Snapshot s = at_work();
  s.device = "cpu";
  s.architecture = "x86-64";
  s.emulation = true;
  s.multiprocessors.reset();
  s.budget_s.reset();
  s.usd_per_hour.reset();
  s.spent_usd.reset();
  s.workloads[0].floor_ns.reset();
  s.workloads[0].of_floor.reset();
  return s;
}

Snapshot nothing_left() {
  Snapshot s = at_work();
  for (ArmState& arm : s.arms) arm.exhausted = true;
  return s;
}

std::string said(const Decision& decision) {
  const std::string arm = decision.arm.technique.empty() ? "" : " " + decision.arm.technique;
  return fmt::format("{}{}{}: {}", name(decision.action), arm, decision.rule ? " by the rule " + *decision.rule : "",
                     decision.why);
}

/// 24 points of two parameters.
Space made_up_space() {
  Space space;
  Parameter block{"BLOCK", {}, "define"}, width{"WIDTH", {}, "define"};
  for (std::int64_t i = 0; i < 6; ++i) block.values.push_back(std::int64_t{32} << i);
  for (std::int64_t i = 0; i < 4; ++i) width.values.push_back(std::int64_t{1} << i);
  space.parameters = {block, width};
  for (std::uint16_t i = 0; i < 6; ++i)
    for (std::uint16_t j = 0; j < 4; ++j) space.points.push_back({i, j});
  return space;
}

std::string run_search(const SourceSet& sources, Limits limits, bool anything_passes) {
  LuaSearch search(sources, {{"softmax", "m4096", "tiling"}, {{"10_tiling", made_up_space()}}}, 1, limits);
  std::set<std::string> asked;
  int asks = 0;
  for (; asks < kMostTrialAsks; ++asks) {
    const std::optional<SearchAsk> ask = search.ask();
    if (!ask) break;
    const std::string config = to_text(ask->config);
    asked.insert(config);
    const double time = 1000 + static_cast<double>(std::hash<std::string>{}(config) % 1000);
    const bool passes = anything_passes && asks % 5 != 4;
    search.tell(
        {passes ? OutcomeKind::passed : OutcomeKind::compile_error, passes ? std::optional(time) : std::nullopt, 1.0});
  }
  return fmt::format("{}: asked for {} of 24 configurations in {} asks{}",
                     anything_passes ? "where four of five pass" : "where nothing passes", asked.size(), asks,
                     asks == kMostTrialAsks ? " and was still asking" : "");
}

}  // namespace

std::string declared_kind(SourceSet& sources, Limits limits) {
  std::string first;
  for (const char* kind : {"strategy", "rule", "search", "diagnosis"}) {
    try {
      const ScriptHost host(sources, kind, limits);
      return kind;
    } catch (const Error& error) {
      const std::string what = error.what();
      if (what.find(": the file returns ") == std::string::npos) throw;
      if (first.empty()) first = what;
    }
  }
  throw bad_input(first);
}

SourceSet strategy_of_rule(const SourceSet& rule) {
  // One line before the rule's own, so that errors keep their lines: the rule's text becomes a function's.
  std::string text = "local checked = (function(...) " + rule.main().text +
                     "\nend)() return strategy { rules = { checked }, decide = function(campaign) "
                     "local arm = campaign.open[1] "
                     "if not arm then return { action = 'stop', why = 'nothing is open' } end "
                     "return { action = 'try', arm = arm, why = 'no reason to leave' } end }";
  SourceSet made = rule;
  made.replace_main({rule.main().name, std::move(text)});
  return made;
}

std::vector<std::string> try_strategy(const SourceSet& sources, Limits limits) {
  LuaStrategy strategy(sources, limits);
  strategy.refuse_unknown_fields();
  const std::pair<const char*, Snapshot> campaigns[] = {{"at the beginning", beginning()},
                                                        {"at work", at_work()},
                                                        {"on an emulated device without budget or price", emulated()},
                                                        {"with nothing left to try", nothing_left()}};
  std::vector<std::string> tried;
  for (const auto& [when, snapshot] : campaigns) {
    tried.push_back(fmt::format("{}: {}", when, said(strategy.decide(snapshot))));
    strategy.rules(snapshot);  // each of them, also those behind the first with a reason
  }
  return tried;
}

std::vector<std::string> try_search(const SourceSet& sources, Limits limits) {
  return {run_search(sources, limits, true), run_search(sources, limits, false)};
}

}  // namespace harness::script
