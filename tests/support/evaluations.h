#pragma once
#include <string>

#include "harness/core/ledger.h"

// What a campaign would record, made up.
namespace harness::tests {

inline CampaignRecord a_campaign(const std::string& device_name = "NVIDIA H200") {
  CampaignRecord record;
  record.name = "nightly";
  record.device = "cuda:0";
  record.device_name = device_name;
  record.strategy = "roi";
  record.strategy_hash = "5e1f";
  record.search = "hillclimb";
  record.seed = 0xfedcba9876543210u;
  record.budget_s = 1800;
  record.kernels = {"attention"};
  record.options = {{"goal", "2x"}};
  record.environment = {{"driver", "580.1"}};
  record.usd_per_hour = 3.6;
  return record;
}

inline Decision a_decision(const std::string& technique = "tiling") {
  Decision decision;
  decision.action = Action::try_arm;
  decision.arm = {"attention", "s128", technique};
  decision.why = "highest expected gain a minute";
  decision.predict = {2, 4, 12};
  decision.table = {{{"technique", technique}, {"gain", 1.5}}};
  return decision;
}

inline AttemptRecord an_attempt(std::int64_t campaign, std::int64_t block = 32,
                                const std::string& technique = "tiling") {
  AttemptRecord record;
  record.campaign = campaign;
  record.candidate = {"attention", "10_" + technique, technique, {{"BLOCK", block}, {"FAST", true}}};
  record.workload = "s128";
  record.contract_hash = "c0ffee";
  record.source_hash = "beef";
  record.ask = block;
  record.purpose = Purpose::search;
  return record;
}

inline Evaluation an_evaluation(Outcome outcome) {
  Evaluation evaluation;
  evaluation.outcome = std::move(outcome);
  evaluation.gates = {{"finite", true, "all finite"}, {"relative-l2", true, "1e-4 of 1e-2"}};
  evaluation.errors = {
      {.argument = "O", .relative_l2 = 1e-4, .max_ulp = 3, .ulp_histogram = {90, 8, 2}, .tolerance = 1e-2}};
  evaluation.seeds = {7, 0xffffffffffffffffu};
  evaluation.resources = EntryResources{.entry = "k", .registers = 64, .static_shared_bytes = 4096, .spill_bytes = 8};
  evaluation.binary_hash = "b1";
  evaluation.source_text = "__global__ void k() {}\n";
  evaluation.compiler = "NVRTC 13.0";
  evaluation.cost = {.build_s = 0.2, .gates_s = 0.1, .timing_s = 0.3, .wall_s = 0.7, .usd = 0.0007};
  return evaluation;
}

inline Evaluation passed(double time_ns, double baseline_ns = 1000) {
  Passed outcome;
  Timing& timing = outcome.timing;
  timing.time_ns = time_ns;
  timing.time_lo_ns = time_ns * 0.99;
  timing.time_hi_ns = time_ns * 1.01;
  timing.baseline_ns = baseline_ns;
  timing.speedup = baseline_ns / time_ns;
  timing.speedup_lo = *timing.speedup * 0.99;
  timing.speedup_hi = *timing.speedup * 1.01;
  timing.floor_ns = 50;
  timing.verdict = Comparison::faster;
  timing.samples = {.rotating_ns = {time_ns - 0.1, time_ns + 0.1},
                    .cold_ns = {time_ns * 2},
                    .clock_mhz = {1980},
                    .calls_per_sample = 40,
                    .input_sets = 128,
                    .method = "graph x40"};
  return an_evaluation(outcome);
}

/// Right at the timed size and slower than the incumbent.
inline Evaluation screened(double time_ns, double baseline_ns = 1000) {
  Timing timing = *timing_of(passed(time_ns, baseline_ns).outcome);
  timing.verdict = Comparison::slower;
  Evaluation evaluation = an_evaluation(Screened{timing});
  evaluation.gates.push_back({"screened", true, "slower than the best", false});
  return evaluation;
}

inline Evaluation wrong() {
  return an_evaluation(WrongAnswer{"O is off", FirstBad{"O", {0, 3}, 1.0, 2.0, 99}, "f00d"});
}

}  // namespace harness::tests
