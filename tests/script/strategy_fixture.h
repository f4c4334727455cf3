#pragma once
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "harness/core/strategy.h"
#include "harness/script/strategy/library.h"

// What the tests of strategies and searches share: the shipped folder, scripts written for one test, plain snapshots.
namespace harness::script::fixture {

inline const std::filesystem::path kShipped = std::filesystem::path(HARNESS_SOURCE_DIR) / "strategies";

/// A folder named "strategies" for one test; gone with it.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "harness-scripts-XXXXXX").string();
    root_ = mkdtemp(name.data());
    for (const char* part : {"rules", "search", "diagnoses"}) std::filesystem::create_directories(path() / part);
  }
  ~Folder() { std::filesystem::remove_all(root_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::filesystem::path path() const { return root_ / "strategies"; }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path() / name) << text; }
  Library library() const { return Library({path(), kShipped}, {.seconds = 2}); }

 private:
  std::filesystem::path root_;
};

/// An arm of kernel "k" on workload "w" whose predicted time fits its prior at 6 s an evaluation.
inline ArmState arm(const std::string& technique, double lo, double hi, double probability, int evaluations) {
  ArmState state;
  state.id = {"k", "w", technique};
  state.variants = {"10_" + technique};
  state.prior = {lo, hi, probability, evaluations};
  state.risk = "low";
  state.space_points = 1000;
  state.predicted_s = 6.0 * evaluations;
  return state;
}

/// `passed` evaluations with these speedups and `failed` others, 6 s each.
inline void evaluate(ArmState& state, const std::vector<double>& gains, std::int64_t failed = 0) {
  double logs = 0, squares = 0;
  for (const double gain : gains) {
    const bool best = !state.best_speedup || gain > *state.best_speedup;
    state.since_improvement = best ? 0 : state.since_improvement + 1;
    const std::int64_t number = state.evaluations + static_cast<std::int64_t>(state.gains.size()) + 1;
    if (best) state.best_speedup = gain;
    if (best) state.records.push_back({number, gain, gain * 0.999, gain * 1.001, true, 6.0 * number});
    state.gains.push_back(gain);
    logs += std::log(gain);
    squares += std::log(gain) * std::log(gain);
  }
  const auto n = static_cast<double>(gains.size());
  if (n > 0) state.log_gain_mean = logs / n;
  if (n > 1) state.log_gain_sd = std::sqrt(std::max(0.0, squares / n - logs / n * logs / n));
  const auto passed = static_cast<std::int64_t>(gains.size());
  state.timed += passed;
  state.outcomes["passed"] += passed;
  if (failed > 0) state.outcomes["wrong_answer"] += failed;
  state.since_improvement += failed;
  state.evaluations += passed + failed;
  state.spent_s += 6.0 * static_cast<double>(passed + failed);
}

/// The sums over each technique, of these arms alone.
inline void add_techniques(Snapshot& s) {
  s.techniques.clear();
  for (const ArmState& state : s.arms) {
    TechniqueState all;
    all.kernel = state.id.kernel;
    all.technique = state.id.technique;
    all.workloads = 1;
    all.campaigns = 1 + state.earlier_campaigns;
    all.evaluations = state.evaluations + state.earlier_evaluations;
    all.earlier_evaluations = state.earlier_evaluations;
    all.passed = (state.outcomes.contains("passed") ? state.outcomes.at("passed") : 0) + state.earlier_passed;
    all.spent_s = state.spent_s + state.earlier_spent_s;
    all.predicted_s = state.predicted_s;
    all.best_speedup = state.best_speedup;
    s.techniques.push_back(all);
  }
}

/// One workload whose baseline is measured, and these arms.
inline Snapshot snapshot(std::vector<ArmState> arms) {
  Snapshot s;
  s.campaign = 1;
  s.device = "cpu";
  s.now_unix = 1750000000;
  s.budget_s = 1800;
  s.evaluation_s = 6;
  s.arms = std::move(arms);
  WorkloadState workload;
  workload.kernel = "k";
  workload.workload = "w";
  workload.baseline_ns = workload.best_ns = 1000;
  workload.speedup = 1;
  for (const ArmState& state : s.arms) {
    s.iterations += state.evaluations;
    if (state.best_speedup && *state.best_speedup > *workload.speedup) workload.speedup = state.best_speedup;
  }
  s.workloads = {workload};
  add_techniques(s);
  return s;
}

}  // namespace harness::script::fixture
