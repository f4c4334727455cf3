#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/json.h"

namespace harness {

/// What `harness run` was asked to do; stored with the campaign, so that a resume does the same.
struct CampaignOptions {
  std::vector<std::string> kernels;
  std::vector<std::string> workloads;  // names or sets; empty: the set "default" of the device
  std::vector<std::string> variants;   // empty: all
  std::string strategy = "roi", search = "hillclimb";
  std::uint64_t seed = 1;
  std::optional<double> budget_s, max_cost_usd;
  std::optional<double> goal_speedup, goal_of_floor;
  std::optional<std::string> name;
  std::optional<double> usd_per_hour;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CampaignOptions, kernels, workloads, variants, strategy, search, seed, budget_s,
                                   max_cost_usd, goal_speedup, goal_of_floor, name, usd_per_hour)

}  // namespace harness
