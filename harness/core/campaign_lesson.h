#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace harness {

/// What one technique did in a campaign, over its workloads.
struct TechniqueLesson {
  std::string kernel, technique;
  std::int64_t workloads = 0, evaluations = 0, passed = 0;
  std::map<std::string, std::int64_t> outcomes;
  std::optional<double> best_speedup;  // over the baseline
  /// The best of the technique against the best of all others on the same workload: the worst and the best of these
  /// ratios. Absent where one of the two has no time.
  std::optional<double> gain_lo, gain_hi;
  double seconds = 0;
  std::optional<double> usd;  // nullopt: the price is unknown
};

/// The decisions of one kind that a rule made.
struct RuleLesson {
  std::string rule, action;
  std::int64_t decisions = 0, first = 0;  // how many, and the first of them
  std::string why;                        // of the first
};

/// What happened in a campaign, as a page of the playbook tells it.
struct CampaignLesson {
  std::int64_t campaign = 0;
  std::string device_name, strategy, reason;
  std::vector<std::string> kernels;
  bool emulation = false;
  double spent_s = 0;
  std::optional<double> cost_usd;
  std::vector<TechniqueLesson> techniques;  // dearest first
  std::vector<RuleLesson> rules;            // by their first decisions
};

}  // namespace harness
