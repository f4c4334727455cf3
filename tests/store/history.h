#pragma once
#include <unistd.h>

#include <filesystem>
#include <random>
#include <string>

#include "harness/store/statement.h"
#include "harness/store/store.h"

// Folders and records for the tests of the store.
namespace harness::store::test {

/// An empty folder that goes with the test.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "harness_store_XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

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
  timing.samples = {.rotating_ns = {time_ns, time_ns + 0.1},
                    .cold_ns = {time_ns * 2},
                    .clock_mhz = {1980},
                    .calls_per_sample = 40,
                    .input_sets = 128,
                    .method = "graph x40"};
  return an_evaluation(outcome);
}

inline Evaluation wrong() {
  return an_evaluation(WrongAnswer{"O is off", FirstBad{"O", {0, 3}, 1.0, 2.0, 99}, "f00d"});
}

/// Begins and ends one attempt.
inline std::int64_t record(Store& store, const AttemptRecord& attempt, const Evaluation& evaluation,
                           bool confirmed = false) {
  return store.end_attempt(store.begin_attempt(attempt), evaluation, confirmed);
}

/// The one value that a query answers.
inline json value(Store& store, const char* sql) {
  Query query(store.connection(), sql);
  return query.next() ? query.value(0) : json(nullptr);
}

/// All rows of a query as text, for comparisons.
inline std::string rows(Store& store, const char* sql) {
  Query query(store.connection(), sql);
  std::string text;
  while (query.next()) {
    for (int column = 0; column < query.columns(); ++column) text += json_text(query.value(column)) + ' ';
    text += '\n';
  }
  return text;
}

/// Random campaigns over a few arms, devices and outcomes.
inline void random_history(Store& store, unsigned seed, int campaigns, int iterations) {
  std::mt19937 random(seed);
  const auto pick = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
  for (int c = 0; c < campaigns; ++c) {
    CampaignRecord campaign = a_campaign(pick(2) ? "NVIDIA H200" : "a CPU");
    if (pick(2)) campaign.usd_per_hour.reset();
    const std::int64_t id = store.begin_campaign(campaign);
    for (int i = 0; i < iterations; ++i) {
      AttemptRecord attempt = an_attempt(id, 1 + pick(8), pick(2) ? "tiling" : "split-kv");
      attempt.contract_hash = pick(3) ? "c0ffee" : "0ld";
      attempt.workload = pick(2) ? "s128" : "s512";
      Evaluation evaluation = pick(4)   ? passed(100 + pick(50))
                              : pick(3) ? an_evaluation(CompileError{"x.cu(1): error"})
                                        : wrong();
      evaluation.cost.wall_s = pick(3) * 0.5;
      if (pick(2)) evaluation.cost.usd.reset();
      record(store, attempt, evaluation, pick(3) == 0);
      if (pick(3) == 0) store.charge(id, pick(2) ? "idle" : "prepare", 0.25);
    }
    if (pick(2)) store.end_campaign(id, EndReason::budget, 100, 0.1);
  }
}

}  // namespace harness::store::test
